import { accept, because, notFound, reject, unreachable } from '@app/kernel';
import type { Decider, Decision, Instant, MessageId, OccurrenceTrigger, RunId, UserId } from '@app/kernel';
import type { ArtifactFacts, ConversationEvent, OperationCopy, Origin, Rating } from './conversation.events';
import {
  evolveConversation,
  initialConversation,
  isBusy,
  isHeldAgainst,
  isKnownRun,
  isQueued,
  isWritable,
  liveRunOf,
  runWaitingFor,
  type ConversationState,
} from './conversation.state';
import { isSuperseded, notReplaceable, type ReplacedMessage } from './line';
import { queuedUnheard, queueInput, refuseQueued, steerRun, withdrawQueued } from './queue.decider';
import type { QueueInput, RefuseQueued, SteerRun } from './queue.decider';
import { decideRun, type RunCommand, type StartRun } from './run/run.decider';
import { decideRunApproval, expireRunApproval, stopWaitingRun } from './run/waiting-run.decider';
import type { DecideRunApproval, ExpireRunApproval } from './run/waiting-run.decider';

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
  | {
      readonly type: 'AddArtifact';
      readonly at: Instant;
      readonly userId: UserId;
      readonly artifact: ArtifactFacts;
    }
  | RateMessage
  | StartRun
  | TriggerRun
  | QueueInput
  | SteerRun
  | RefuseQueued
  | RunCommand
  | DecideRunApproval
  | ExpireRunApproval
  | CopyOperation;

/** The user's word on a message of the agent. @property message its id, and the run in which the agent said it */
export interface RateMessage {
  readonly type: 'RateMessage';
  readonly at: Instant;
  readonly userId: UserId;
  readonly message: { readonly id: MessageId; readonly runId: RunId };
  readonly rating: Rating;
  readonly text: string | null;
}

/** An occurrence of an automation: the conversation, if it does not exist yet, and the run begin in one append. */
export interface TriggerRun {
  readonly type: 'TriggerRun';
  readonly at: Instant;
  /** The title of a conversation that begins with it. */
  readonly title: string;
  readonly automationId: string;
  readonly occurrenceId: string;
  readonly trigger: OccurrenceTrigger;
  readonly run: Omit<StartRun, 'type' | 'at' | 'origin' | 'automationId' | 'occurrenceId' | 'alone'>;
}

/** Copies a fact of an operation's own stream. */
export type CopyOperation = { readonly type: 'CopyOperation'; readonly copy: OperationCopy };

/** The one decider of a conversation's stream: its own life here, its runs in `run.decider.ts`. */
export const conversationDecider: Decider<ConversationState, ConversationCommand, ConversationEvent> = {
  initialState: initialConversation,
  decide,
  evolve: evolveConversation,
};

function decide(command: ConversationCommand, state: ConversationState): Decision<ConversationEvent> {
  const decision = decideAlone(command, state);
  const end = decision.accepted ? decision.events.findIndex(({ type }) => type === 'run.ended') : -1;
  const ended = decision.accepted ? decision.events[end] : undefined;
  if (!decision.accepted || ended?.type !== 'run.ended') return decision;
  const before = decision.events.slice(0, end).reduce(evolveConversation, state);
  return accept(...decision.events, ...queuedUnheard(ended, before));
}

/** Decides without what the end of a run leaves. */
function decideAlone(command: ConversationCommand, state: ConversationState): Decision<ConversationEvent> {
  if (isOnOpenRun(command)) return decideOnRun(command, state);
  switch (command.type) {
    case 'CreateConversation':
      return create(command, state);
    case 'RenameConversation':
      return rename(command, state);
    case 'ArchiveConversation':
      return archive(command, state);
    case 'AddArtifact':
      return addArtifact(command, state);
    case 'RateMessage':
      return rate(command, state);
    case 'CopyOperation':
      return copy(command, state);
    case 'StartRun':
      return start(command, state);
    case 'TriggerRun':
      return trigger(command, state);
    case 'QueueInput':
      return queueInput(command, state);
    case 'SteerRun':
      return steerRun(command, state);
    case 'RefuseQueued':
      return refuseQueued(command, state);
    case 'DecideApproval':
      return decideRunApproval(command, runWaitingFor(state, command.approvalId), liveRunOf(state));
    case 'ExpireApproval':
      return expireRunApproval(command, runWaitingFor(state, command.approvalId));
    default:
      return unreachable(command);
  }
}

function isOnOpenRun(command: ConversationCommand): command is RunCommand {
  return 'attempt' in command || command.type === 'ClaimRun' || command.type === 'StopRun';
}

function decideOnRun(command: RunCommand, state: ConversationState): Decision<ConversationEvent> {
  const run = state.openRuns[command.runId];
  if (command.type === 'StopRun' && isQueued(state, command.runId)) return withdrawQueued(command, state);
  if (command.type === 'StopRun' && run?.status === 'awaiting_approval') {
    return stopWaitingRun(command.at, run, liveRunOf(state));
  }
  return decideRun(command, run);
}

type CommandOf<Type extends ConversationCommand['type']> = Extract<ConversationCommand, { readonly type: Type }>;

function create(command: CommandOf<'CreateConversation'>, state: ConversationState): Decision<ConversationEvent> {
  const { at, userId, title, origin, automationId } = command;
  if (state.userId !== null) return state.userId === userId ? accept() : reject(notFound);
  return accept({ type: 'conversation.created', at, title, origin, automationId, userId });
}

function rename(
  { at, userId, title }: CommandOf<'RenameConversation'>,
  state: ConversationState,
): Decision<ConversationEvent> {
  if (!isWritable(state, userId)) return reject(notFound);
  return state.title === title ? accept() : accept({ type: 'conversation.updated', at, title });
}

function archive(command: CommandOf<'ArchiveConversation'>, state: ConversationState): Decision<ConversationEvent> {
  if (state.userId !== command.userId) return reject(notFound);
  if (state.archivedAt !== null) return accept();
  if (isBusy(state)) return reject(because('run_active'));
  return accept({ type: 'conversation.archived', at: command.at });
}

function addArtifact(
  { at, userId, artifact }: CommandOf<'AddArtifact'>,
  state: ConversationState,
): Decision<ConversationEvent> {
  if (!isWritable(state, userId)) return reject(notFound);
  if (state.artifacts.some(({ artifactId }) => artifactId === artifact.artifactId)) return accept();
  return accept({ type: 'artifact.uploaded', at, ...artifact });
}

function rate(
  { at, userId, message, rating, text }: RateMessage,
  state: ConversationState,
): Decision<ConversationEvent> {
  if (!isWritable(state, userId)) return reject(notFound);
  const last = state.ratings.find((known) => known.messageId === message.id);
  if (last?.rating === rating && last.text === text) return accept();
  return accept({ type: 'message.rated', at, messageId: message.id, runId: message.runId, rating, text });
}

function start(command: StartRun, state: ConversationState): Decision<ConversationEvent> {
  if (isKnownRun(state, command.runId)) return accept();
  if (!isWritable(state, command.userId)) return reject(notFound);
  if (isHeldAgainst(state, command)) return reject(because('run_active'));
  const { type: _, alone, replaces, ...run } = command;
  if (alone && Object.keys(state.openRuns).length > 0) return reject(because('run_active'));
  const queuedAt = state.queued.find(({ runId }) => runId === command.runId)?.at ?? null;
  const started = { type: 'run.started', ...run, queuedAt } as const;
  return replaces === undefined ? accept(started) : replace(replaces, started, state);
}

/** A run in place of a message and everything after it, while nothing is open. */
function replace(
  { messageId, seq }: ReplacedMessage,
  started: Extract<ConversationEvent, { readonly type: 'run.started' }>,
  state: ConversationState,
): Decision<ConversationEvent> {
  if (isBusy(state)) return reject(because('run_active'));
  if (isSuperseded(state.superseded, seq)) return reject(notReplaceable);
  const { at, runId } = started;
  return accept<ConversationEvent>({ type: 'message.superseded', at, messageId, fromSeq: seq, runId }, started);
}

function trigger(command: TriggerRun, state: ConversationState): Decision<ConversationEvent> {
  const { at, title, automationId, occurrenceId, run } = command;
  const { userId } = run;
  const created = { type: 'conversation.created', at, title, origin: 'automation', automationId, userId } as const;
  const isNew = state.userId === null;
  const origin = { origin: 'automation', automationId, occurrenceId, alone: false } as const;
  const begun = isNew ? evolveConversation(state, created) : state;
  const started = start({ type: 'StartRun', at, ...run, ...origin }, begun);
  if (!started.accepted || started.events.length === 0) return started;
  const triggered = { type: 'automation.triggered', at, automationId, occurrenceId, trigger: command.trigger } as const;
  return accept<ConversationEvent>(...(isNew ? [created] : []), triggered, ...started.events);
}

/**
 * Appends each copy once, and no submission after the operation's end. A late copy gets the time of the conversation's last event, so that
 * the times in a journal never go back.
 */
function copy({ copy }: CopyOperation, state: ConversationState): Decision<ConversationEvent> {
  if (state.userId === null) return reject(notFound);
  const known = state.operations[copy.operationId];
  const isNew = copy.type === 'operation.submitted' ? known === undefined : known !== 'over';
  if (!isNew) return accept();
  const { lastActivityAt } = state;
  return accept(lastActivityAt !== null && lastActivityAt > copy.at ? { ...copy, at: lastActivityAt } : copy);
}
