import { Injectable } from '@nestjs/common';
import { Budgets } from '@app/budget';
import type { ConversationEvent } from '@app/conversations';
import type { Cause } from '@app/kernel';
import { ExecutionSlots, type SegmentKey } from './execution-slots';

/** The event that ends a segment: the run is over, or waits for approvals. */
export type SegmentEnd = Extract<ConversationEvent, { readonly type: 'run.ended' | 'run.suspended' }>;

/** Closes segments: the process that appended the end of one does so at once, the watchdog does it where that was cut off. */
@Injectable()
export class SegmentClosing {
  constructor(
    private readonly budgets: Budgets,
    private readonly slots: ExecutionSlots,
  ) {}

  /** Books what the segment cost, and gives its slot back; again changes nothing. @throws Unavailable */
  async close({ runKey, runId, userId, segment, segmentCostCents }: SegmentEnd, cause: Cause): Promise<void> {
    const spent = { spentCents: segmentCostCents };
    await Promise.all([
      this.budgets.settle({ runKey, runId, userId, segment, cause }, spent),
      this.release({ runKey, segment }),
    ]);
  }

  /** Gives the slot of a segment back that was over before; again changes nothing. @throws Unavailable */
  async release(segment: SegmentKey): Promise<void> {
    await this.slots.release(segment);
  }
}

/** The event among these that ended a segment, if any did. */
export function segmentEndIn(events: readonly ConversationEvent[]): SegmentEnd | null {
  return events.find((event) => event.type === 'run.ended' || event.type === 'run.suspended') ?? null;
}
