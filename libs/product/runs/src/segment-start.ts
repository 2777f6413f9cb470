import { Injectable, Logger } from '@nestjs/common';
import { Budgets } from '@app/budget';
import type { ConversationEvent, ConversationState } from '@app/conversations';
import type { StoredEvent } from '@app/event-store';
import { causeOfEvent, type Cause, type ProcessId, type Result } from '@app/kernel';
import { Processes } from '@app/read-store';
import { ExecutionSlots, type ExecutableSegment, type SlotTaken } from './execution-slots';
import { LocalExecution, type Place } from './local-execution';
import { RunLeases } from './run-leases';

/** A segment that is about to begin, and why. */
export interface NewSegment extends ExecutableSegment {
  readonly cause: Cause;
}

/** What a segment was given before it begins: it is used or given back. */
export interface Provision {
  readonly slot: SlotTaken;
  readonly reserved: Result<{ readonly heldCents: number }>;
  readonly place: Place | null;
  /** Who executes the segment from its begin on; null: whoever claims it. */
  readonly holder: ProcessId | null;
}

/** What the append that may have begun the segment came to. */
interface Appended {
  readonly events: readonly ConversationEvent[];
  readonly stored: readonly StoredEvent[];
  readonly state: ConversationState;
}

/**
 * How a segment begins, the first of a run or a later one: reservation and slot are taken side by side, one append in the conversation
 * says who executes it, and that process goes on at once from the state that it has (docs/decisions/runs.md, "Life").
 */
@Injectable()
export class SegmentStart {
  private readonly logger = new Logger(SegmentStart.name);

  constructor(
    private readonly budgets: Budgets,
    private readonly slots: ExecutionSlots,
    private readonly leases: RunLeases,
    private readonly local: LocalExecution,
    private readonly processes: Processes,
  ) {}

  /**
   * Takes slot and reservation, and a place in this process where there is one. Where either store does not answer, what the other
   * gave is given back. @throws Unavailable
   */
  async provide(segment: NewSegment, reserve: () => Promise<Provision['reserved']>): Promise<Provision> {
    const place = this.local.reserve(segment.runKey);
    const [reserved, slot] = await Promise.allSettled([reserve(), this.slots.take(segment)]);
    if (reserved.status === 'fulfilled' && slot.status === 'fulfilled') {
      const holder = place !== null && slot.value === 'taken' ? this.processes.id : null;
      return { place, holder, slot: slot.value, reserved: reserved.value };
    }
    place?.giveBack();
    if (reserved.status === 'fulfilled') await this.release(segment);
    else if (slot.status === 'fulfilled' && slot.value === 'taken') await this.slots.release(segment);
    throw reserved.status === 'rejected' ? reserved.reason : slot.status === 'rejected' ? slot.reason : new Error();
  }

  /** The segment does not begin after all. @throws Unavailable */
  async giveBack(segment: NewSegment, { place, slot, reserved }: Provision): Promise<void> {
    place?.giveBack();
    const released = reserved.ok ? this.release(segment) : undefined;
    // One that another process holds is of an attempt at the same segment.
    await Promise.all([released, slot === 'taken' ? this.slots.release(segment) : undefined]);
  }

  /**
   * The segment has begun, by this append or by another one that came first. Executes it here, or leaves it to whichever worker takes
   * it first. Never throws: where nobody is told, its lease ends by itself.
   */
  async begun(segment: NewSegment, provision: Provision, { events, stored, state }: Appended): Promise<void> {
    const { place, holder, slot, reserved } = provision;
    const run = state.openRuns[segment.runId];
    const beginning = stored[events.findIndex(({ type }) => type === 'run.started' || type === 'run.resumed')];
    if (place !== null && holder !== null && beginning !== undefined && run !== undefined) {
      const heldCents = reserved.ok ? reserved.value.heldCents : 0;
      place.begin({ ...segment, run, events, heldCents, cause: causeOfEvent('engine', beginning) });
      return;
    }
    place?.giveBack();
    if (slot !== 'taken') return;
    try {
      await this.leases.handOver(segment);
    } catch (error) {
      this.logger.warn(`no worker was told of run ${segment.runKey}: ${String(error)}`);
    }
  }

  /** It is not known whether the segment began; whoever claims it, or the watchdog, finds out. */
  uncertain({ place }: Provision): void {
    place?.giveBack();
  }

  private async release({ userId, runId, runKey, segment, cause }: NewSegment): Promise<void> {
    await this.budgets.release({ userId, runId, runKey, segment, cause });
  }
}
