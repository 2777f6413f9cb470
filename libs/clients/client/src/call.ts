import type { CallAnswer } from './types.js';

/**
 * A call that is on its way: await it for what the operation answers. Rejects with ParleyProblem, ParleyUnreachable, or the signal's
 * reason.
 */
export class Call<Value> implements Promise<Value> {
  readonly [Symbol.toStringTag] = 'Call';

  constructor(private readonly sent: Promise<CallAnswer<Value>>) {}

  /** What the operation answers, and the `Response` itself for its headers and its status. Does not send anything again. */
  withResponse(): Promise<CallAnswer<Value>> {
    return this.sent;
  }

  then<Fulfilled = Value, Rejected = never>(
    onFulfilled?: ((value: Value) => Fulfilled | PromiseLike<Fulfilled>) | null,
    // Reason for `any`: as a Promise of the language has it, so that `catch` reads the same.
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- as above
    onRejected?: ((reason: any) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    return this.sent.then(({ data }) => data).then(onFulfilled, onRejected);
  }

  catch<Rejected = never>(
    // Reason for `any`: as a Promise of the language has it, so that `catch` reads the same.
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- as above
    onRejected?: ((reason: any) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Value | Rejected> {
    return this.then(undefined, onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<Value> {
    return this.then().finally(onFinally);
  }
}
