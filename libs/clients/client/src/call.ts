import type { CallAnswer } from './types.js';

/** A call in flight: await its answer. Rejects with ParleyProblem, ParleyUnreachable, or the signal's reason. */
export class Call<Value> implements Promise<Value> {
  readonly [Symbol.toStringTag] = 'Call';

  constructor(private readonly sent: Promise<CallAnswer<Value>>) {}

  /** Returns the operation's answer together with the `Response`, for its headers and status. Sends nothing again. */
  withResponse(): Promise<CallAnswer<Value>> {
    return this.sent;
  }

  then<Fulfilled = Value, Rejected = never>(
    onFulfilled?: ((value: Value) => Fulfilled | PromiseLike<Fulfilled>) | null,
    // Reason for `any`: the same type as in the language's own Promise, so that `catch` has the same signature.
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- as above
    onRejected?: ((reason: any) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    return this.sent.then(({ data }) => data).then(onFulfilled, onRejected);
  }

  catch<Rejected = never>(
    // Reason for `any`: the same type as in the language's own Promise, so that `catch` has the same signature.
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- as above
    onRejected?: ((reason: any) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Value | Rejected> {
    return this.then(undefined, onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<Value> {
    return this.then().finally(onFinally);
  }
}
