import { Injectable } from '@nestjs/common';
import { Budgets } from '@app/budget';
import type { ConversationEvent } from '@app/conversations';
import type { Cause, ConversationId } from '@app/kernel';
import { ExecutionSlots, type SegmentKey } from '../slots/execution-slots';

/** The event that ends a segment: the run is over, or waits for approvals. */
export type SegmentEnd = Extract<ConversationEvent, { readonly type: 'run.ended' | 'run.suspended' }>;

/** Closes segments: the process that appended the end does so at once, the watchdog does it if that was cut off. */
@Injectable()
export class SegmentClosing {
  /** Called with the conversation of each segment that this process has closed. */
  onClosed: (conversationId: ConversationId) => void = () => undefined;

  constructor(
    private readonly budgets: Budgets,
    private readonly slots: ExecutionSlots,
  ) {}

  /** Books the segment's cost, and releases its slot; a repeated call changes nothing. @throws Unavailable */
  async close(
    { runKey, runId, userId, segment, segmentCostCents }: SegmentEnd,
    conversationId: ConversationId,
    cause: Cause,
  ): Promise<void> {
    const spent = { spentCents: segmentCostCents };
    await Promise.all([
      this.budgets.settle({ runKey, runId, userId, segment, cause }, spent),
      this.release({ runKey, segment }),
    ]);
    this.onClosed(conversationId);
  }

  /** Releases the slot of a segment that was already over; a repeated call changes nothing. @throws Unavailable */
  async release(segment: SegmentKey): Promise<void> {
    await this.slots.release(segment);
  }
}

/** The event among these that ended a segment, if any did. */
export function segmentEndIn(events: readonly ConversationEvent[]): SegmentEnd | null {
  return events.find((event) => event.type === 'run.ended' || event.type === 'run.suspended') ?? null;
}
