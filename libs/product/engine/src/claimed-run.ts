import { conversationKind, type ConversationEvent, type RunCommand } from '@app/conversations';
import { decodeEvent, streamName, type EventStore, type FoldedStates, type Streams } from '@app/event-store';
import { causeOfEvent, type Cause, type Clock } from '@app/kernel';
import type { ClaimableRun } from '@app/runs';
import { readHistory } from './history';
import type { Turn } from './model';
import { progressAfter, startedProgress, type RunProgress } from './next';

const pageEvents = 500;

/** A run's command without what the claim knows: its instant, its run and its attempt. */
type HeldCommand = Without<Extract<RunCommand, { readonly attempt: number }>, 'at' | 'runId' | 'attempt'>;
type Without<Union, Key extends string> = Union extends unknown ? Omit<Union, Key> : never;

/** How an append of the executor ended: recorded, recorded with the run's end, refused because the run is to stop, or no longer this worker's. */
export type Recording = 'recorded' | 'ended' | 'stopping' | 'fenced';

export interface Stores {
  readonly streams: Streams;
  readonly states: FoldedStates;
  readonly store: EventStore;
  readonly clock: Clock;
}

/** A run that is not over, as far as its journal says now. */
export interface OpenRun {
  readonly run: ClaimableRun;
  /** Events of a run carry the request id of its start or last decision (docs/decisions/journal.md). */
  readonly cause: Cause;
  readonly startedSeq: number;
  /** Whether a worker has claimed this segment before. */
  readonly begun: boolean;
}

/** Looks whether there is still something to execute; rows may lag behind the journal. Null when there is not. */
export async function findOpenRun({ states, store }: Stores, run: ClaimableRun): Promise<OpenRun | null> {
  const { state } = await states.current(conversationKind, run.conversationId);
  const open = state.openRuns[run.runId];
  if (open?.segment !== run.segment || open.status === 'awaiting_approval') return null;
  const cause = await causeOf(store, run, open.segmentSeq);
  return { run, cause, startedSeq: open.startedSeq, begun: open.status === 'running' };
}

/** A run that this worker holds: its progress as the journal tells it, and the only way to append to it. */
export class ClaimedRun {
  /** Position of the last event appended here; null before the first. */
  position: number | null = null;
  private history: Promise<readonly Turn[]> | null = null;

  private constructor(
    private readonly stores: Stores,
    readonly run: ClaimableRun,
    readonly cause: Cause,
    private readonly startedSeq: number,
    private readonly attempt: number,
    private current: RunProgress,
  ) {}

  get progress(): RunProgress {
    return this.current;
  }

  /** Appends `run.claimed`, which fences whoever held the run before, and reads how far the run is. Null: it is over. */
  static async claim(stores: Stores, { run, cause, startedSeq }: OpenRun): Promise<ClaimedRun | null> {
    const { conversationId, runId, segment } = run;
    const claim = { type: 'ClaimRun', at: stores.clock.now(), runId, segment } as const;
    const claimed = await stores.streams.decide(conversationKind, conversationId, claim, cause);
    if (!claimed.ok) return null;
    const { state, revision } = claimed.value;
    const held = state.openRuns[runId];
    if (held === undefined) return null;
    const events = await eventsOf(stores.store, run, startedSeq, revision);
    const progress = events.reduce(progressAfter, startedProgress(held));
    return new ClaimedRun(stores, run, cause, startedSeq, held.attempt, progress);
  }

  /** The turns of the conversation before this run, read once. Throws Unavailable. */
  async earlierTurns(tokensMax: number): Promise<readonly Turn[]> {
    this.history ??= readHistory(this.stores.store, this.run.conversationId, this.startedSeq, tokensMax);
    return this.history;
  }

  /** Appends what the engine did, at the exact revision, as long as nobody has claimed the run since. Throws Unavailable. */
  async record(command: HeldCommand): Promise<Recording> {
    const { streams, clock } = this.stores;
    const { conversationId, runId } = this.run;
    const whole = { ...command, at: clock.now(), runId, attempt: this.attempt };
    const done = await streams.decide(conversationKind, conversationId, whole, this.cause);
    if (!done.ok) return done.state.openRuns[runId]?.attempt === this.attempt ? 'stopping' : 'fenced';
    this.current = done.value.events.reduce(progressAfter, this.current);
    this.position = done.value.position ?? this.position;
    return done.value.events.some(({ type }) => type === 'run.ended') ? 'ended' : 'recorded';
  }

  /** Takes note that the run is to stop. */
  markStopping(): void {
    this.current = { ...this.current, stopping: true };
  }
}

async function causeOf(store: EventStore, run: ClaimableRun, segmentSeq: number): Promise<Cause> {
  const [begun] = await store.readStream(streamName(conversationKind, run.conversationId), segmentSeq - 1, 1);
  if (begun === undefined) throw new Error(`run ${run.runKey} has no start in its journal`);
  return causeOfEvent('engine', begun);
}

async function eventsOf(store: EventStore, run: ClaimableRun, fromSeq: number, toRevision: number) {
  const events: ConversationEvent[] = [];
  for (let from = fromSeq - 1; from <= toRevision; from += pageEvents) {
    const page = await store.readStream(streamName(conversationKind, run.conversationId), from, pageEvents);
    for (const stored of page) {
      const { event } = decodeEvent<ConversationEvent>(conversationKind, stored);
      if ('runKey' in event && event.runKey === run.runKey) events.push(event);
    }
  }
  return events;
}
