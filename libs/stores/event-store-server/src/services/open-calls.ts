import type { Failure } from '../failure';

interface OpenCall {
  readonly isSubscription?: boolean;
  fail(failure: Failure): void;
}

/** The open calls. Closing the server ends each with an answer, because an aborted call would read as cancelled. */
export class OpenCalls {
  private readonly open = new Set<OpenCall>();
  private closed: Failure | undefined;
  /** In bad weather, the failure with which new reads are refused. */
  refusal: Failure | undefined;
  /** Whether filtered subscriptions get checkpoints; not in bad weather. */
  checkpoints = true;

  add(call: OpenCall): void {
    if (this.closed) call.fail(this.closed);
    else this.open.add(call);
  }

  remove(call: OpenCall): void {
    this.open.delete(call);
  }

  /** Answers a call with its first result: its own, or that the server closes. */
  once<Result>(answer: (result: Result | Failure) => void): (result: Result | Failure) => void {
    let answered = false;
    const reply = (result: Result | Failure): void => {
      if (answered) return;
      answered = true;
      this.remove(call);
      answer(result);
    };
    const call: OpenCall = { fail: reply };
    this.add(call);
    return reply;
  }

  failSubscriptions(failure: Failure): void {
    for (const call of [...this.open]) if (call.isSubscription) call.fail(failure);
  }

  /** Ends all of them, and those that still arrive. */
  failAll(failure: Failure): void {
    this.closed = failure;
    for (const call of this.open) call.fail(failure);
    this.open.clear();
  }
}
