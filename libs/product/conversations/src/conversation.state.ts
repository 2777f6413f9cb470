import type { ApprovalState } from '@app/consent';
import { unreachable } from '@app/kernel';
import type { ApprovalId, Instant, MessageId, Personal, RunId, RunKey, UserId } from '@app/kernel';
import { partsAfter, type SupersededPart } from './line';
import type { ArtifactFacts, ConversationEvent, MessageRating, Origin } from './conversation.events';
import { approvalOf, evolveRun, isLastPending, pendingOf, beginRun } from './run/run.state';
import type { OpenRunEvent, RunState } from './run/run.state';
import type { RunOrigin } from './run/run.events';
import type { RunRequest } from './run/run.schema';

/** Most ended runs that the state remembers by id; the read model knows all of them. */
export const rememberedEndedRunsMax = 64;

/** Most rated messages that the state remembers, so that the same rating again is no event. */
export const rememberedRatingsMax = 64;

/** A run that waits to start. @property seq of its `input.queued` */
export interface QueuedInput {
  readonly runId: RunId;
  readonly runKey: RunKey;
  readonly userId: UserId;
  readonly messageId: MessageId;
  readonly request: Personal<RunRequest>;
  readonly at: Instant;
  readonly seq: number;
}

/** A conversation as folded from its stream. */
export interface ConversationState {
  /** Null as long as the conversation does not exist. */
  readonly userId: UserId | null;
  readonly title: Personal<string | null>;
  readonly origin: Origin;
  readonly automationId: string | null;
  readonly createdAt: Instant | null;
  readonly lastActivityAt: Instant | null;
  readonly archivedAt: Instant | null;
  /** `seq` of the last event; 0 when there is none. */
  readonly lastSeq: number;
  /** Runs that are not ended, by id. */
  readonly openRuns: { readonly [runId: string]: RunState };
  readonly liveRunId: RunId | null;
  /** Runs that wait to start, oldest first. */
  readonly queued: readonly QueuedInput[];
  /** The newest ended runs, and those that what a run has read would have become; newest last. */
  readonly endedRunIds: readonly RunId[];
  /** Its files, newest last. */
  readonly artifacts: readonly ArtifactFacts[];
  /** The last rating of each of the messages that were rated last, newest last. */
  readonly ratings: readonly MessageRating[];
  /** The parts of the journal that left the line last, oldest first. */
  readonly superseded: readonly SupersededPart[];
  /** The financial operations that began here, with the last fact copied of each: each fact is copied once. */
  readonly operations: { readonly [operationId: string]: 'submitted' | 'over' };
}

export const initialConversation: ConversationState = {
  userId: null,
  title: null,
  origin: 'conversation',
  automationId: null,
  createdAt: null,
  lastActivityAt: null,
  archivedAt: null,
  lastSeq: 0,
  openRuns: {},
  liveRunId: null,
  queued: [],
  endedRunIds: [],
  artifacts: [],
  ratings: [],
  superseded: [],
  operations: {},
};

/**
 * Returns the run that waits for this approval, the approval, and whether a decision on it would resume the run; null if no run waits for
 * it.
 */
export function waitingApproval(
  state: ConversationState,
  approvalId: ApprovalId,
): { readonly run: RunState; readonly approval: ApprovalState; readonly resumes: boolean } | null {
  const run = runWaitingFor(state, approvalId);
  const approval = approvalOf(run, approvalId);
  if (run === undefined || approval === undefined) return null;
  return { run, approval, resumes: isLastPending(run, approvalId) };
}

/** The number of approvals that wait for a decision in the conversation. */
export function pendingApprovals(state: ConversationState): number {
  return Object.values(state.openRuns).reduce((count, run) => count + pendingOf(run).length, 0);
}

/** The open run that this approval belongs to. */
export function runWaitingFor(state: ConversationState, approvalId: ApprovalId): RunState | undefined {
  return Object.values(state.openRuns).find((run) => approvalOf(run, approvalId) !== undefined);
}

export function liveRunOf({ openRuns, liveRunId }: ConversationState): RunState | undefined {
  return liveRunId === null ? undefined : openRuns[liveRunId];
}

/** Whether the conversation exists, is the user's own and is not archived. */
export function isWritable(state: ConversationState, userId: UserId): boolean {
  return state.userId === userId && state.archivedAt === null;
}

/** Whether a run is open, even one that waits for the user, or waits to start. */
export function isBusy({ openRuns, queued }: ConversationState): boolean {
  return queued.length > 0 || Object.keys(openRuns).length > 0;
}

/**
 * Whether another run holds the conversation, or waits for its turn in front of this one. An automation's run waits for the live run only,
 * because what is queued may wait for its user.
 */
export function isHeldAgainst(
  { liveRunId, queued }: ConversationState,
  { runId, origin }: { readonly runId: RunId; readonly origin: RunOrigin },
): boolean {
  if (liveRunId !== null) return liveRunId !== runId;
  return origin === 'user' && queued[0] !== undefined && queued[0].runId !== runId;
}

export function isQueued({ queued }: ConversationState, runId: RunId): boolean {
  return queued.some((one) => one.runId === runId);
}

/** The run that is to start now; null if there is none, or another is open. */
export function nextQueued({ openRuns, queued }: ConversationState): QueuedInput | null {
  return Object.keys(openRuns).length > 0 ? null : (queued[0] ?? null);
}

/** Whether the run is open here or among the newest that ended here. */
export function isKnownRun(state: ConversationState, runId: RunId): boolean {
  return state.openRuns[runId] !== undefined || state.endedRunIds.includes(runId);
}

type RunsEvent = Extract<ConversationEvent, { readonly runKey: unknown }>;

/** The state after one more event. */
export function evolveConversation(state: ConversationState, event: ConversationEvent): ConversationState {
  const lastSeq = state.lastSeq + 1;
  if ('runKey' in event) return { ...withRuns(state, event, lastSeq), lastActivityAt: event.at, lastSeq };
  switch (event.type) {
    case 'conversation.created': {
      const { userId, title, origin, automationId, at } = event;
      return { ...state, userId, title, origin, automationId, createdAt: at, lastActivityAt: at, lastSeq };
    }
    // These three do not count as activity: the order by recent activity does not change.
    case 'conversation.updated':
      return { ...state, title: event.title, lastSeq };
    case 'conversation.archived':
      return { ...state, archivedAt: event.at, lastSeq };
    case 'message.rated':
      return { ...state, ratings: ratingsAfter(state, event), lastSeq };
    case 'message.superseded': {
      const parts = partsAfter(state.superseded, { from: event.fromSeq, before: lastSeq });
      return { ...state, superseded: parts, lastActivityAt: event.at, lastSeq };
    }
    case 'automation.triggered':
      return { ...state, lastActivityAt: event.at, lastSeq };
    case 'artifact.uploaded': {
      const { type: _, at, ...artifact } = event;
      return { ...state, artifacts: [...state.artifacts, artifact], lastActivityAt: at, lastSeq };
    }
    case 'operation.submitted':
    case 'settlement.updated': {
      const copied = event.type === 'operation.submitted' ? 'submitted' : 'over';
      const operations = { ...state.operations, [event.operationId]: copied } as const;
      return { ...state, operations, lastActivityAt: event.at, lastSeq };
    }
    default:
      return unreachable(event);
  }
}

function ratingsAfter(
  { ratings }: ConversationState,
  { messageId, rating, text }: MessageRating,
): readonly MessageRating[] {
  const others = ratings.filter((known) => known.messageId !== messageId);
  return [...others, { messageId, rating, text }].slice(-rememberedRatingsMax);
}

function withRuns(state: ConversationState, event: RunsEvent, seq: number): ConversationState {
  if (event.type === 'run.started') {
    const openRuns = { ...state.openRuns, [event.runId]: beginRun(event, seq) };
    return { ...state, openRuns, queued: withoutQueued(state, event.runId), liveRunId: event.runId };
  }
  if (event.type === 'input.queued') {
    const { type: _, resolved: _now, ...input } = event;
    return { ...state, queued: [...state.queued, { ...input, seq }] };
  }
  if (event.type === 'input.withdrawn' || event.type === 'run.ended') return withoutRun(state, event.runId);
  const endedRunIds = event.type === 'agent.step' ? withHeard(state, event) : state.endedRunIds;
  const liveRunId = liveRunAfter(state.liveRunId, event);
  return { ...state, openRuns: runsAfter(state, event, seq), liveRunId, endedRunIds };
}

/** A message that a run has read will not start one of its own. */
function withHeard(
  { openRuns, endedRunIds }: ConversationState,
  { runId, heard }: Extract<RunsEvent, { readonly type: 'agent.step' }>,
): readonly RunId[] {
  if (heard === 0) return endedRunIds;
  const read = openRuns[runId]?.unheard.slice(0, heard).map((one) => one.runId) ?? [];
  return [...endedRunIds, ...read].slice(-rememberedEndedRunsMax);
}

function withoutQueued({ queued }: ConversationState, runId: RunId): readonly QueuedInput[] {
  return queued.some((one) => one.runId === runId) ? queued.filter((one) => one.runId !== runId) : queued;
}

function withoutRun(state: ConversationState, runId: RunId): ConversationState {
  const { [runId]: _ended, ...openRuns } = state.openRuns;
  const queued = withoutQueued(state, runId);
  const endedRunIds = [...state.endedRunIds, runId].slice(-rememberedEndedRunsMax);
  return { ...state, openRuns, queued, liveRunId: state.liveRunId === runId ? null : state.liveRunId, endedRunIds };
}

/** A waiting run is not the live run; a resumed one is again. */
function liveRunAfter(liveRunId: RunId | null, event: OpenRunEvent): RunId | null {
  if (event.type === 'run.resumed') return event.runId;
  return event.type === 'run.suspended' && event.runId === liveRunId ? null : liveRunId;
}

function runsAfter(state: ConversationState, event: OpenRunEvent, seq: number): ConversationState['openRuns'] {
  const run = Object.values(state.openRuns).find(({ runKey }) => runKey === event.runKey);
  // The decider rejects events of a run that is not open.
  return run === undefined ? state.openRuns : { ...state.openRuns, [run.runId]: evolveRun(run, event, seq) };
}
