import type { PathParameter } from '@app/http';
import { limits } from '@app/kernel';
import {
  boolean,
  countedPageOfShape,
  instant,
  integer,
  list,
  nullable,
  oneOf,
  orErased,
  pageOfShape,
  shape,
  text,
  uuid,
  type Shaped,
} from '@app/schema';
import { origins } from './conversation.events';

/** Conversation (docs/decisions/conversations.md). */
export const Conversation = shape('Conversation', {
  id: uuid(),
  title: orErased(
    nullable(text({ min: 1, max: limits.titleLengthMax }), { description: 'Null until somebody names it' }),
  ),
  origin: oneOf(origins, { description: 'Who began it: the user, or an occurrence of an automation' }),
  automationId: nullable(uuid(), {
    description: 'Of the automation that began it; null for a conversation of the user',
  }),
  status: oneOf(['idle', 'running', 'awaiting_approval'], {
    description: '`running` while a run is live, whatever else waits for approval',
  }),
  liveRunId: nullable(uuid(), { description: 'Of the run that is queued, running or stopping' }),
  queuedRunIds: list(uuid(), {
    max: limits.queuedInputsMax,
    description: 'Of the runs that wait to start, in their order',
  }),
  pendingApprovals: integer({ min: 0, description: 'How many approvals of its runs the user has yet to decide' }),
  lastSeq: integer({ min: 1, description: 'A stream opened at this cursor misses nothing that is not shown here' }),
  createdAt: instant(),
  lastActivityAt: instant({ description: 'Moves with every event but a new title, a rating and archiving' }),
  archivedAt: nullable(instant(), { description: 'An archived conversation stays readable and takes no writes' }),
});
export type ConversationView = Shaped<typeof Conversation>;

export const ConversationPage = countedPageOfShape('Conversation', Conversation);
export type ConversationPage = Shaped<typeof ConversationPage>;

/** Message (docs/decisions/conversations.md). */
export const Message = shape('Message', {
  id: uuid(),
  seq: integer({ min: 1, description: "Of its event in the journal; a user's message is its `run.started`" }),
  runId: uuid(),
  role: oneOf(['user', 'assistant']),
  text: orErased(text()),
  artifactIds: list(uuid(), { max: limits.artifactIdsMax, description: 'What the user handed in with it' }),
  superseded: boolean({ description: 'Whether it left the line: a later run replaced it, or a message before it' }),
  createdAt: instant(),
});

export const MessagePage = pageOfShape('Message', Message);
export type MessagePage = Shaped<typeof MessagePage>;

const running: ConversationView = {
  id: '019a3c5e-8f10-7a31-9c42-1b7d5e2f6a01',
  title: 'Savings',
  origin: 'conversation',
  automationId: null,
  status: 'running',
  liveRunId: '019a3c5f-2b44-7c19-8d03-6e1f4a9b7c02',
  queuedRunIds: [],
  pendingApprovals: 0,
  lastSeq: 3,
  createdAt: '2026-11-21T09:15:00.000Z',
  lastActivityAt: '2026-11-21T09:15:42.118Z',
  archivedAt: null,
};
const resting = { ...running, status: 'idle', liveRunId: null } as const;

/** True examples: one conversation, from its beginning on. */
export const conversationExamples = {
  created: { ...resting, lastSeq: 1, lastActivityAt: running.createdAt },
  running,
  renamed: { ...resting, title: 'Savings and rent', lastSeq: 7 },
  page: { data: [running], nextCursor: null, total: 1 },
  messages: {
    data: [
      {
        id: '019a3c5f-2b44-7c19-8d03-6e1f4a9b7c03',
        seq: 2,
        runId: '019a3c5f-2b44-7c19-8d03-6e1f4a9b7c02',
        role: 'user',
        text: 'what is my balance',
        artifactIds: [],
        superseded: false,
        createdAt: '2026-11-21T09:15:42.090Z',
      },
      {
        id: '019a3c5f-2b91-7a02-9b1c-5d2e8f7a6b04',
        seq: 5,
        runId: '019a3c5f-2b44-7c19-8d03-6e1f4a9b7c02',
        role: 'assistant',
        text: 'You have 250 USDC and 40 wNEAR.',
        artifactIds: [],
        superseded: false,
        createdAt: '2026-11-21T09:15:43.501Z',
      },
    ],
    nextCursor: null,
  },
} as const satisfies {
  readonly [Name in 'created' | 'running' | 'renamed']: ConversationView;
} & { readonly page: ConversationPage; readonly messages: MessagePage };

/** The parameter in paths. */
export const conversationIdParameter: PathParameter = {
  description: 'A conversation of the user',
  example: '019a3c5e-7d1c-7f00-8a4b-3f6b1c2d4e01',
};

export const messageIdParameter: PathParameter = {
  description: 'A message of the agent, of `conversations.messages`',
  example: '019a3c5f-2b91-7a02-9b1c-5d2e8f7a6b04',
};
