import type { ConversationEvent } from '@app/conversations';
import type { ApprovalId } from '@app/kernel';

/** Most events of parts that left the line that are read for the approvals in them; older ones are passed over. */
const leftEventsMax = 20_000;

/** In place of a part of the journal that left the line: the approvals in it by which money may have moved, oldest first. */
export interface LeftPart {
  readonly type: 'left';
  readonly approvalIds: readonly ApprovalId[];
}

export type LineEvent = ConversationEvent | LeftPart;

/** An event with its place in the journal. */
interface Placed {
  readonly seq: number;
  readonly event: ConversationEvent;
}

/** The line of a conversation, from its newest event backwards: parts that were replaced are left out. */
export class Line {
  private readonly newestFirst: LineEvent[] = [];
  /** The first `seq` of the part that is being passed; Infinity outside of one. */
  private leftFrom = Infinity;
  private left: ApprovalId[] = [];
  private leftEvents = 0;

  /** How many events it has. */
  get length(): number {
    return this.newestFirst.length;
  }

  /** Its events, oldest first. */
  get events(): readonly LineEvent[] {
    return this.newestFirst.toReversed();
  }

  /** Adds an earlier page, newest first; returns the `seq` of the event to read next. */
  add(page: readonly Placed[], nextSeq: number): number {
    for (const { seq, event } of page) {
      if (seq >= this.leftFrom) this.leave(event);
      else if (event.type === 'message.superseded') this.passTo(event.fromSeq);
      else this.newestFirst.push(event);
    }
    const isPassing = this.leftFrom <= nextSeq;
    return isPassing && this.leftEvents >= leftEventsMax ? this.leftFrom - 1 : nextSeq;
  }

  private passTo(fromSeq: number): void {
    this.leftFrom = fromSeq;
    this.left = [];
    this.newestFirst.push({ type: 'left', approvalIds: this.left });
  }

  private leave(event: ConversationEvent): void {
    this.leftEvents += 1;
    if (isApproved(event)) this.left.unshift(event.approvalId);
  }
}

/** Whether money may have moved by it. */
export function isApproved(
  event: LineEvent,
): event is Extract<ConversationEvent, { readonly type: 'approval.decided' }> {
  return event.type === 'approval.decided' && event.status === 'approved';
}
