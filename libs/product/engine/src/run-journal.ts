import { Injectable } from '@nestjs/common';
import { conversationKind, type ConversationEvent } from '@app/conversations';
import { decodeEvent, EventStore, FoldedStates, streamName, Streams } from '@app/event-store';
import { causeOfEvent, Clock, type Cause } from '@app/kernel';
import type { ClaimableRun } from '@app/runs';
import { ClaimedRun, type OpenRun } from './claimed-run';
import { progressAfter, startedProgress } from './next';

const pageEvents = 500;

/** Finds and claims runs in the journals of their conversations. All methods throw Unavailable. */
@Injectable()
export class RunJournal {
  constructor(
    private readonly streams: Streams,
    private readonly states: FoldedStates,
    private readonly store: EventStore,
    private readonly clock: Clock,
  ) {}

  /** Reads the run's state from the journal, since rows may lag behind it. Null when nothing is left to execute. */
  async findOpen(run: ClaimableRun): Promise<OpenRun | null> {
    const { state } = await this.states.current(conversationKind, run.conversationId);
    const open = state.openRuns[run.runId];
    if (open?.segment !== run.segment || open.status === 'awaiting_approval') return null;
    const cause = await this.causeOf(run, open.segmentSeq);
    return { run, cause, startedSeq: open.startedSeq, begun: open.status === 'running' };
  }

  /** Appends `run.claimed`, which fences the previous holder, and folds the run's events. Null when the segment is over. */
  async claim(open: OpenRun): Promise<ClaimedRun | null> {
    const { streams, states, store, clock } = this;
    const { conversationId, runId, segment } = open.run;
    const command = { type: 'ClaimRun', at: clock.now(), runId, segment } as const;
    const claimed = await streams.decide(conversationKind, conversationId, command, open.cause);
    if (!claimed.ok) return null;
    const { state, revision } = claimed.value;
    const held = state.openRuns[runId];
    if (held === undefined) return null;
    const events = await this.eventsOf(open, revision);
    const progress = events.reduce(progressAfter, startedProgress(held));
    return new ClaimedRun({ streams, states, store, clock }, open, held.attempt, progress);
  }

  private async causeOf({ conversationId, runKey }: ClaimableRun, segmentSeq: number): Promise<Cause> {
    const [begun] = await this.store.readStream(streamName(conversationKind, conversationId), segmentSeq - 1, 1);
    if (begun === undefined) throw new Error(`run ${runKey} has no start in its journal`);
    return causeOfEvent('engine', begun);
  }

  /** The run's own events from its start to the revision. */
  private async eventsOf({ run, startedSeq }: OpenRun, toRevision: number): Promise<readonly ConversationEvent[]> {
    const events: ConversationEvent[] = [];
    for (let from = startedSeq - 1; from <= toRevision; from += pageEvents) {
      const page = await this.store.readStream(streamName(conversationKind, run.conversationId), from, pageEvents);
      for (const stored of page) {
        const { event } = decodeEvent<ConversationEvent>(conversationKind, stored);
        if ('runKey' in event && event.runKey === run.runKey) events.push(event);
      }
    }
    return events;
  }
}
