import {
  accept,
  because,
  notFound,
  reject,
  unreachable,
  type Decider,
  type Decision,
  type Instant,
  type RunId,
  type UserId,
} from '@app/kernel';
import type { ConversationEvent, Origin } from './conversation.events';
import { decideRun, evolveRun, startedRun, type RunCommand, type RunState, type StartRun } from './run.decider';

/** Ended runs that the state remembers by id; the read model knows all of them. */
export const rememberedEndedRunsMax = 64;

/** A conversation as its stream tells it. */
export interface ConversationState {
  /** Null as long as the conversation does not exist. */
  readonly userId: UserId | null;
  readonly title: string | null;
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
  /** The newest ended runs, newest last. */
  readonly endedRunIds: readonly RunId[];
}

export type ConversationCommand =
  | {
      readonly type: 'CreateConversation';
      readonly at: Instant;
      readonly userId: UserId;
      readonly title: string | null;
      readonly origin: Origin;
      readonly automationId: string | null;
    }
  | { readonly type: 'RenameConversation'; readonly at: Instant; readonly userId: UserId; readonly title: string }
  | { readonly type: 'ArchiveConversation'; readonly at: Instant; readonly userId: UserId }
  | StartRun
  | RunCommand;

/** The one decider of a conversation's stream: its own life here, its runs in `run.decider.ts`. */
export const conversationDecider: Decider<ConversationState, ConversationCommand, ConversationEvent> = {
  initialState: {
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
    endedRunIds: [],
  },
  decide,
  evolve,
};

function decide(command: ConversationCommand, state: ConversationState): Decision<ConversationEvent> {
  switch (command.type) {
    case 'CreateConversation':
      return create(command, state);
    case 'RenameConversation':
      if (!isWritable(state, command.userId)) return reject(notFound);
      if (state.title === command.title) return accept();
      return accept({ type: 'conversation.updated', at: command.at, title: command.title });
    case 'ArchiveConversation':
      return archive(command, state);
    case 'StartRun':
      return start(command, state);
    case 'ClaimRun':
    case 'StopRun':
    case 'RecordStep':
    case 'ReturnTool':
    case 'EndRun':
      return decideRun(command, state.openRuns[command.runId]);
    default:
      return unreachable(command);
  }
}

type CommandOf<Type extends ConversationCommand['type']> = Extract<ConversationCommand, { readonly type: Type }>;

function create(command: CommandOf<'CreateConversation'>, state: ConversationState): Decision<ConversationEvent> {
  const { at, userId, title, origin, automationId } = command;
  if (state.userId !== null) return state.userId === userId ? accept() : reject(notFound);
  return accept({ type: 'conversation.created', at, title, origin, automationId, userId });
}

function archive(command: CommandOf<'ArchiveConversation'>, state: ConversationState): Decision<ConversationEvent> {
  if (state.userId !== command.userId) return reject(notFound);
  if (state.archivedAt !== null) return accept();
  if (Object.keys(state.openRuns).length > 0) return reject(because('run_active'));
  return accept({ type: 'conversation.archived', at: command.at });
}

function start(command: StartRun, state: ConversationState): Decision<ConversationEvent> {
  if (isKnownRun(state, command.runId)) return accept();
  if (!isWritable(state, command.userId)) return reject(notFound);
  if (state.liveRunId !== null) return reject(because('run_active'));
  const { type: _, ...run } = command;
  return accept({ type: 'run.started', ...run });
}

/** Whether the conversation exists, is the user's own and is not archived. */
export function isWritable(state: ConversationState, userId: UserId): boolean {
  return state.userId === userId && state.archivedAt === null;
}

/** Whether the run is open here or among the newest that ended here. */
export function isKnownRun(state: ConversationState, runId: RunId): boolean {
  return state.openRuns[runId] !== undefined || state.endedRunIds.includes(runId);
}

function evolve(state: ConversationState, event: ConversationEvent): ConversationState {
  const lastSeq = state.lastSeq + 1;
  switch (event.type) {
    case 'conversation.created': {
      const { userId, title, origin, automationId, at } = event;
      return { ...state, userId, title, origin, automationId, createdAt: at, lastActivityAt: at, lastSeq };
    }
    // These two are no activity: a list by recent activity does not move for them.
    case 'conversation.updated':
      return { ...state, title: event.title, lastSeq };
    case 'conversation.archived':
      return { ...state, archivedAt: event.at, lastSeq };
    case 'run.started': {
      const openRuns = { ...state.openRuns, [event.runId]: startedRun(event, lastSeq) };
      return { ...state, openRuns, liveRunId: event.runId, lastActivityAt: event.at, lastSeq };
    }
    case 'run.ended':
      return { ...withoutRun(state, event.runId), lastActivityAt: event.at, lastSeq };
    case 'run.claimed':
    case 'run.stopping':
    case 'agent.step':
    case 'agent.message':
    case 'tool.called':
    case 'tool.returned':
      return { ...state, openRuns: runsAfter(state, event), lastActivityAt: event.at, lastSeq };
    default:
      return unreachable(event);
  }
}

function withoutRun(state: ConversationState, runId: RunId): ConversationState {
  const { [runId]: _ended, ...openRuns } = state.openRuns;
  const endedRunIds = [...state.endedRunIds, runId].slice(-rememberedEndedRunsMax);
  return { ...state, openRuns, liveRunId: state.liveRunId === runId ? null : state.liveRunId, endedRunIds };
}

function runsAfter(state: ConversationState, event: Parameters<typeof evolveRun>[1]): ConversationState['openRuns'] {
  const run = state.openRuns[event.runId];
  // The decider lets no event of a run pass that is not open.
  return run === undefined ? state.openRuns : { ...state.openRuns, [event.runId]: evolveRun(run, event) };
}
