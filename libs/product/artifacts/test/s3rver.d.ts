/** The part that the specs use; the package has no types of its own. */
declare module 's3rver' {
  class S3rver {
    constructor(options: {
      readonly address: string;
      readonly port: number;
      readonly silent: boolean;
      readonly directory: string;
      readonly configureBuckets: readonly { readonly name: string; readonly configs: readonly unknown[] }[];
    });
    /** Koa's middleware, outermost first. */
    readonly middleware: ((context: S3rver.Context, next: () => Promise<void>) => Promise<void>)[];
    run(): Promise<{ readonly port: number }>;
    close(): Promise<void>;
  }
  namespace S3rver {
    /** Koa's context of one request. */
    interface Context {
      readonly method: string;
      readonly url: string;
      readonly path: string;
      status: number;
      type: string;
      body: unknown;
      get(header: string): string;
    }
  }
  export default S3rver;
}
