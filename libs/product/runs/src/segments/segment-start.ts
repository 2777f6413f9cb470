import { Injectable, Logger } from '@nestjs/common';
import { Budgets } from '@app/budget';
import type { ConversationEvent, ConversationState } from '@app/conversations';
import type { StoredEvent } from '@app/event-store';
import { causeOfEvent, type Cause, type ProcessId, type Result, failureWords } from '@app/kernel';
import { Processes } from '@app/read-store';
import { ExecutionSlots, type ExecutableSegment, type SlotTaken } from '../slots/execution-slots';
import { LocalExecution, type Place } from '../slots/local-execution';
import { RunLeases } from '../slots/run-leases';

/** A segment that is about to begin, and its cause. */
export interface NewSegment extends ExecutableSegment {
  readonly cause: Cause;
}

/** A slot, and room in this process if there is any: they are used or given back. */
export interface SlotAndPlace {
  readonly slot: SlotTaken;
  readonly place: Place | null;
  /** The process that executes the segment from its begin on; null: the process that claims it. */
  readonly holder: ProcessId | null;
}

/** Everything that a segment gets before it begins. */
export interface Provision extends SlotAndPlace {
  /** Null if it is unknown whether it was reserved: the process that claims the segment then reserves again. */
  readonly reserved: Result<{ readonly heldCents: number }> | null;
}

/** The result of the append that may have begun the segment. */
interface Appended {
  readonly events: readonly ConversationEvent[];
  readonly stored: readonly StoredEvent[];
  readonly state: ConversationState;
}

/**
 * Begins a segment, the first of a run or a later one: reservation and slot are taken in parallel, one append in the conversation names the
 * process that executes it, and that process continues at once from the state in memory (docs/decisions/runs.md, "Life").
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

  /** Takes slot and reservation in parallel. If either store does not answer, what the other granted is given back. @throws Unavailable */
  async provide(
    segment: NewSegment,
    reserve: () => Promise<NonNullable<Provision['reserved']>>,
  ): Promise<SlotAndPlace & { readonly reserved: NonNullable<Provision['reserved']> }> {
    const [reserved, taken] = await Promise.allSettled([reserve(), this.takeSlot(segment)]);
    if (reserved.status === 'fulfilled' && taken.status === 'fulfilled')
      return { ...taken.value, reserved: reserved.value };
    if (reserved.status === 'fulfilled' && reserved.value.ok) await this.budgets.release(segment);
    if (taken.status === 'fulfilled') await this.giveBack(segment, { ...taken.value, reserved: null });
    throw reserved.status === 'rejected' ? reserved.reason : taken.status === 'rejected' ? taken.reason : new Error();
  }

  /** Takes a slot for the segment, and room in this process if there is any. @throws Unavailable */
  async takeSlot(segment: NewSegment): Promise<SlotAndPlace> {
    const place = this.local.reserve(segment.runKey);
    try {
      const slot = await this.slots.take(segment);
      return { place, slot, holder: place !== null && slot === 'taken' ? this.processes.id : null };
    } catch (error) {
      place?.giveBack();
      throw error;
    }
  }

  /** Reserves for a segment that begins in any case, even past a cap. Never rejects. */
  async reserve(segment: NewSegment): Promise<Provision['reserved']> {
    try {
      return await this.budgets.reserve(segment, { checked: false });
    } catch (error) {
      this.logger.warn(`nothing was reserved for run ${segment.runKey}: ${failureWords(error)}`);
      return null;
    }
  }

  /** Undoes the provision of a segment that does not begin after all. @throws Unavailable */
  async giveBack(segment: NewSegment, { place, slot, reserved }: Provision): Promise<void> {
    place?.giveBack();
    const released = reserved?.ok === true ? this.budgets.release(segment) : undefined;
    // A slot that another process holds belongs to an attempt at the same segment.
    await Promise.all([released, slot === 'taken' ? this.slots.release(segment) : undefined]);
  }

  /**
   * The segment has begun, by this append or by an earlier one. Executes it here, or leaves it to whichever worker claims it first. Never
   * throws: if no worker is notified, its lease expires by itself.
   */
  async begun(segment: NewSegment, provision: Provision, { events, stored, state }: Appended): Promise<void> {
    const { place, holder, slot, reserved } = provision;
    const run = state.openRuns[segment.runId];
    const beginning = stored[events.findIndex(({ type }) => type === 'run.started' || type === 'run.resumed')];
    if (place !== null && holder !== null && reserved?.ok === true && beginning !== undefined && run !== undefined) {
      const { heldCents } = reserved.value;
      place.begin({ ...segment, run, events, heldCents, cause: causeOfEvent('engine', beginning) });
      return;
    }
    place?.giveBack();
    if (slot !== 'taken') return;
    try {
      await this.leases.handOver(segment);
    } catch (error) {
      this.logger.warn(`no worker was notified of run ${segment.runKey}: ${failureWords(error)}`);
    }
  }

  /** It is unknown whether the segment began; the process that claims it, or the watchdog, finds out. */
  uncertain({ place }: SlotAndPlace): void {
    place?.giveBack();
  }
}
