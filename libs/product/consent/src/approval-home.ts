import type { ApprovalId, Cause, Result } from '@app/kernel';
import type { ApprovalVerdict } from './approval.decider';

/** An approval, with the id (within its category) of the stream that holds it. */
export interface HeldApproval {
  readonly approvalId: ApprovalId;
  readonly streamId: string;
}

/** Streams of one category that hold approvals. The slice that opens approvals there also decides and ends them. */
export interface ApprovalHome {
  readonly category: string;

  /**
   * Records the user's verdict, once. Refuses with `approval_not_pending` when it was decided, has ended, or cannot be
   * approved this way; records the expiry if that was not recorded yet. Answers when the read models have it.
   * @throws Unavailable
   */
  decide(approval: HeldApproval, verdict: ApprovalVerdict, cause: Cause): Promise<Result<void>>;

  /** Records the expiry; no-op before its time, and for an approval that is not pending. @throws Unavailable */
  expire(approval: HeldApproval, cause: Cause): Promise<void>;
}

/** Every home, by the category of its streams. */
export class ApprovalHomes {
  private readonly byCategory: ReadonlyMap<string, ApprovalHome>;

  constructor(homes: readonly ApprovalHome[]) {
    this.byCategory = new Map(homes.map((home) => [home.category, home]));
  }

  /** The home of a stream `<category>-<id>`, and the stream's id there. @throws Error for a stream that cannot hold approvals */
  of(stream: string): { readonly home: ApprovalHome; readonly streamId: string } {
    const end = stream.indexOf('-');
    const home = this.byCategory.get(stream.slice(0, end));
    if (home === undefined) throw new Error(`no approval can be in ${stream}`);
    return { home, streamId: stream.slice(end + 1) };
  }
}
