import {
  conversationKind,
  erasedRequest,
  openArtifact,
  type OpenArtifact,
  type ResolvedRun,
  type RunCommand,
} from '@app/conversations';
import type { EventStore, FoldedStates, Streams } from '@app/event-store';
import { openOr, type Cause, type Clock, type ToolCallId } from '@app/kernel';
import { segmentEndIn, type ExecutableSegment, type SegmentEnd } from '@app/runs';
import type { CallOutcome } from './approved-calls';
import { readHistory } from './history';
import type { MoneyFacts } from './money-facts';
import type { Turn } from '../models/model';
import { progressAfter, type RunProgress } from './next';
import type { RunContext } from '../tool';

/** A command on a run, without the members that the claim adds: its instant, its run and its attempt. */
export type HeldCommand = Without<Extract<RunCommand, { readonly attempt: number }>, 'at' | 'runId' | 'attempt'>;
type Without<Union, Key extends string> = Union extends unknown ? Omit<Union, Key> : never;

/** Result of an append: recorded; recorded with the run's end; refused because the run is stopping; refused because another worker claimed it. */
export type Recording = 'recorded' | 'ended' | 'stopping' | 'fenced';

/** A run whose current segment is not over, as of a read of its journal. */
export interface OpenRun {
  readonly run: ExecutableSegment;
  /** Events of a run carry the request id of its start or last decision (docs/decisions/journal.md). */
  readonly cause: Cause;
  readonly startedSeq: number;
  /** Whether a worker has claimed this segment before. */
  readonly begun: boolean;
  readonly resolved: ResolvedRun;
}

/** Signals that interrupt the execution of a run in this process. */
export interface Signals {
  /** Aborts when the run is to stop. */
  readonly stop: AbortSignal;
  /** Aborts when this process is to stop; the run is then left to another. */
  readonly shutdown: AbortSignal;
  /** Aborts with the first of the two. */
  readonly any: AbortSignal;
}

interface Stores {
  readonly streams: Streams;
  readonly states: FoldedStates;
  readonly store: EventStore;
  readonly clock: Clock;
  readonly money: MoneyFacts;
}

/** The time before a run, as a model reads it. @property facts as in Turn, of the run itself */
export interface EarlierTurns {
  readonly turns: readonly Turn[];
  readonly facts: readonly string[];
}

/** Fields that identify a run in log lines. */
type RunNames = Pick<ExecutableSegment, 'runId' | 'conversationId' | 'userId' | 'segment'> & Pick<Cause, 'requestId'>;

/** A run that this worker holds: its progress as journaled, and the only way to append to it. */
export class ClaimedRun {
  readonly run: ExecutableSegment;
  readonly cause: Cause;
  /** The event that ended the segment; null before it. */
  end: SegmentEnd | null = null;
  /** Calls that were made before their step was recorded. */
  readonly underWay = new Map<ToolCallId, Promise<CallOutcome>>();
  private earlier: Promise<EarlierTurns> | null = null;

  constructor(
    private readonly stores: Stores,
    private readonly opened: OpenRun,
    private readonly attempt: number,
    private current: RunProgress,
  ) {
    this.run = opened.run;
    this.cause = opened.cause;
  }

  get progress(): RunProgress {
    return this.current;
  }

  /** Identifies the run to its tools. */
  get context(): RunContext {
    const { userId, conversationId, runId } = this.run;
    return { userId, conversationId, runId, automationId: this.current.automationId, cause: this.cause };
  }

  /** Names the run in log lines about it, as the request log does, and the request that began or resumed it. */
  get names(): RunNames {
    const { runId, conversationId, userId, segment } = this.run;
    return { runId, conversationId, userId, segment, requestId: this.cause.requestId };
  }

  /** The turns of the conversation's line before this run, and the facts of what it replaces, read once. Throws Unavailable. */
  async earlierTurns(tokensMax: number): Promise<EarlierTurns> {
    this.earlier ??= this.readEarlier(tokensMax);
    return this.earlier;
  }

  private async readEarlier(tokensMax: number): Promise<EarlierTurns> {
    const { store, money } = this.stores;
    const { conversationId, userId } = this.run;
    const history = await readHistory(store, conversationId, this.opened.startedSeq, tokensMax);
    const turns: Turn[] = [];
    for (const { replaced = [], runKey: _, ...turn } of history.turns)
      turns.push(replaced.length === 0 ? turn : { ...turn, facts: await money.facts(userId, replaced) });
    return { turns, facts: await money.facts(userId, history.replaced) };
  }

  /** The conversation's files, as of the last append at the latest. Throws Unavailable. */
  async artifacts(): Promise<readonly OpenArtifact[]> {
    const { state } = await this.stores.states.cached(conversationKind, this.run.conversationId);
    return state.artifacts.flatMap((artifact) => openArtifact(artifact) ?? []);
  }

  /** Appends what the engine did, at the exact revision, unless another worker has claimed the run since. Throws Unavailable. */
  async record(command: HeldCommand): Promise<Recording> {
    const { streams, clock } = this.stores;
    const { conversationId, runId } = this.run;
    const whole = { ...command, at: clock.now(), runId, attempt: this.attempt };
    const done = await streams.decide(conversationKind, conversationId, whole, this.cause);
    if (!done.ok) return done.state.openRuns[runId]?.attempt === this.attempt ? 'stopping' : 'fenced';
    const { events, state } = done.value;
    // Others append to the journal what the user says to the run.
    const unheard = state.openRuns[runId]?.unheard.map(({ input }) => openOr(input, erasedRequest.input).text) ?? [];
    this.current = { ...events.reduce(progressAfter, this.current), unheard };
    this.end ??= segmentEndIn(done.value.events);
    return this.end?.type === 'run.ended' ? 'ended' : 'recorded';
  }

  /** Marks the run as stopping before its journal says so. */
  markStopping(): void {
    this.current = { ...this.current, stopping: true };
  }
}
