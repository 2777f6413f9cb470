import { Injectable } from '@nestjs/common';
import { conversationKind, isKnownRun, type ConversationEvent } from '@app/conversations';
import { decodeEvent, EventStore, FoldedStates, streamName, Streams } from '@app/event-store';
import { causeOfEvent, Clock, type Cause } from '@app/kernel';
import type { BegunSegment, ExecutableSegment } from '@app/runs';
import { ClaimedRun, type OpenRun, type Signals } from './claimed-run';
import { MoneyFacts } from './money-facts';
import { progressAfter, startedProgress, type RunProgress } from './next';

const pageEvents = 500;

/** Finds and claims runs in the journals of their conversations. All methods throw Unavailable. */
@Injectable()
export class RunJournal {
  constructor(
    private readonly streams: Streams,
    private readonly states: FoldedStates,
    private readonly store: EventStore,
    private readonly clock: Clock,
    private readonly money: MoneyFacts,
  ) {}

  /**
   * Reads the run's state from the journal, since rows may lag behind it. `over` if nothing is left to execute, `unknown` if there is no
   * such run, or not yet: its admission may be in flight.
   */
  async findOpen(run: ExecutableSegment): Promise<OpenRun | 'over' | 'unknown'> {
    const { state } = await this.states.fresh(conversationKind, run.conversationId);
    const open = state.openRuns[run.runId];
    if (open === undefined) return isKnownRun(state, run.runId) ? 'over' : 'unknown';
    if (open.segment < run.segment) return 'unknown';
    if (open.segment > run.segment || open.status === 'awaiting_approval') return 'over';
    const cause = await this.causeOf(run, open.segmentSeq);
    const { startedSeq, status, resolved } = open;
    return { run, cause, startedSeq, begun: status === 'running', resolved };
  }

  /** Appends `run.claimed`, which fences the previous holder, and folds the run's events. Null when the segment is over. */
  async claim(open: OpenRun): Promise<ClaimedRun | null> {
    const { conversationId, runId, segment } = open.run;
    const command = { type: 'ClaimRun', at: this.clock.now(), runId, segment } as const;
    const claimed = await this.streams.decide(conversationKind, conversationId, command, open.cause);
    if (!claimed.ok) return null;
    const { state, revision } = claimed.value;
    const held = state.openRuns[runId];
    if (held === undefined) return null;
    return this.held(open, held.attempt, await this.progressOf(open, startedProgress(held), revision));
  }

  /** Returns a run whose segment began in this process: a new one needs no read, a resumed one is read from its journal. */
  async begun(segment: BegunSegment): Promise<ClaimedRun> {
    const { run, cause, events } = segment;
    const { startedSeq, resolved } = run;
    const open = { run: segment, cause, startedSeq, begun: false, resolved };
    const started = startedProgress(run);
    const progress =
      run.segment === 1
        ? events.reduce(progressAfter, started)
        : await this.progressOf(open, started, Number.MAX_SAFE_INTEGER);
    return this.held(open, run.attempt, progress);
  }

  /**
   * Executes with signals that also abort, as for a shutdown, once the run's conversation is damaged, because results could not be recorded
   * then.
   */
  async whileWhole<Value>(
    { conversationId }: ExecutableSegment,
    signals: Signals,
    execute: (signals: Signals) => Promise<Value>,
  ): Promise<Value> {
    const damaged = new AbortController();
    const conversation = streamName(conversationKind, conversationId);
    const stopListening = this.store.damaged.onDamage(({ stream }) => {
      if (stream === conversation) damaged.abort();
    });
    const either = (signal: AbortSignal): AbortSignal => AbortSignal.any([signal, damaged.signal]);
    try {
      return await execute({ ...signals, shutdown: either(signals.shutdown), any: either(signals.any) });
    } finally {
      stopListening();
    }
  }

  private held(open: OpenRun, attempt: number, progress: RunProgress): ClaimedRun {
    const { streams, states, store, clock, money } = this;
    return new ClaimedRun({ streams, states, store, clock, money }, open, attempt, progress);
  }

  private async causeOf({ conversationId, runKey }: ExecutableSegment, segmentSeq: number): Promise<Cause> {
    const [begun] = await this.store.readStream(streamName(conversationKind, conversationId), segmentSeq - 1, 1);
    if (begun === undefined) throw new Error(`run ${runKey} has no start in its journal`);
    return causeOfEvent('engine', begun);
  }

  /** Folds the run's own events, from its start to the revision or to the end of the journal, whichever is first. */
  private async progressOf(
    { run, startedSeq }: OpenRun,
    started: RunProgress,
    toRevision: number,
  ): Promise<RunProgress> {
    let progress = started;
    for (let from = startedSeq - 1; from <= toRevision; from += pageEvents) {
      const page = await this.store.readStream(streamName(conversationKind, run.conversationId), from, pageEvents);
      for (const stored of page) {
        const { event } = decodeEvent<ConversationEvent>(conversationKind, stored);
        if ('runKey' in event && event.runKey === run.runKey) progress = progressAfter(progress, event);
      }
      if (page.length < pageEvents) break;
    }
    return progress;
  }
}
