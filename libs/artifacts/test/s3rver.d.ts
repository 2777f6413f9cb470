/** What the specs use of it; the package has no types of its own. */
declare module 's3rver' {
  export default class S3rver {
    constructor(options: {
      readonly address: string;
      readonly port: number;
      readonly silent: boolean;
      readonly directory: string;
      readonly configureBuckets: readonly { readonly name: string; readonly configs: readonly unknown[] }[];
    });
    /** Koa's, outermost first. */
    readonly middleware: ((
      context: { readonly method: string; readonly url: string },
      next: () => Promise<void>,
    ) => Promise<void>)[];
    run(): Promise<{ readonly port: number }>;
    close(): Promise<void>;
  }
}
