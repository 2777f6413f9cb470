import { approvalEvents, exampleIds } from '@app/consent';
import { limits, occurrenceTriggers } from '@app/kernel';
import type { ApprovalId, ArtifactId, JsonValue, OperationId, RunId, UserId } from '@app/kernel';
import { byName, event, integer, internal, list, nullable, oneOf, privateMembersOf, text, uuid } from '@app/schema';
import type { EventOf } from '@app/schema';
import { exampleOperationId, exampleToken, runEvents } from './run/run.events';

export const origins = ['conversation', 'automation'] as const;
export type Origin = (typeof origins)[number];

const title = text({ min: 1, max: limits.titleLengthMax });
const operationId = uuid<OperationId>({ description: 'Of `financialOperations.get`' });

const created = event('conversation.created', 'The conversation begins.', {
  public: {
    title: nullable(title),
    origin: oneOf(origins),
    automationId: nullable(uuid(), { description: 'Of the automation that began it' }),
  },
  private: { userId: internal<UserId>() },
  example: { title: 'Savings', origin: 'conversation', automationId: null },
});

const updated = event('conversation.updated', 'The conversation has another title.', {
  public: { title },
  example: { title: 'Savings and rent' },
});

const archived = event('conversation.archived', 'The conversation takes no writes any more.', {
  public: {},
  example: {},
});

const triggered = event(
  'automation.triggered',
  'An occurrence of an automation was admitted here; its run starts with the next event.',
  {
    public: { automationId: uuid(), occurrenceId: uuid(), trigger: oneOf(occurrenceTriggers) },
    example: {
      automationId: '019a3b02-55c1-7d20-8e6f-9b3a7c5d1e07',
      occurrenceId: '3f2b8c1d-7a6e-5d4c-9b0f-1e2d3c4b5a60',
      trigger: 'schedule',
    },
  },
);

/** A file of the conversation; its bytes are stored elsewhere, by their hash. */
const uploaded = event('artifact.uploaded', 'The conversation has one more file.', {
  public: {
    artifactId: uuid<ArtifactId>(),
    name: text({ min: 1, max: 128 }),
    mediaType: text({ max: 255, description: 'As it was declared' }),
    bytes: integer({ min: 1 }),
    sha256: text({ pattern: /^[0-9a-f]{64}$/, description: 'Of the bytes, in hex' }),
  },
  example: {
    artifactId: '019a3c60-4a0c-7f9e-a1d2-6c5b8e7f3a09',
    name: 'budget.csv',
    mediaType: 'text/csv',
    bytes: 15,
    sha256: 'c86066149fd3cf01ec7449cd3e91a293a620f963a8cf3d4a3b9087b3622ba83e',
  },
});
export type ArtifactFacts = Omit<EventOf<typeof uploaded>, 'type' | 'at'>;

const submitted = event('operation.submitted', 'A transfer of the agent was handed to its provider.', {
  public: { operationId, runId: nullable(uuid<RunId>()), approvalId: uuid<ApprovalId>() },
  example: { operationId: exampleOperationId, runId: exampleIds.run, approvalId: exampleIds.approval },
});

const settlement = event(
  'settlement.updated',
  'The transfer is over. This, and `financialOperations.get`, is the only evidence of settlement.',
  {
    public: {
      operationId,
      status: oneOf(['settled', 'failed']),
      /** As in `financialOperations.get`, like `failure` below. */
      actions: list(byName<JsonValue>('OperationAction'), { min: 1 }),
      failure: nullable(byName<JsonValue>('OperationFailure')),
    },
    example: {
      operationId: exampleOperationId,
      status: 'settled',
      actions: [
        {
          index: 0,
          kind: 'withdraw_to_owner',
          status: 'settled',
          input: { tokenId: exampleToken, amountRaw: '1500000' },
          output: { tokenId: exampleToken, amountRaw: '1500000' },
          leastOutput: null,
          returned: null,
          providerReference: 'sandbox-7',
        },
      ],
      failure: null,
    },
  },
);

/** A result of a financial operation, copied from its own stream into the conversation in which it began. */
export type OperationCopy = EventOf<typeof submitted> | EventOf<typeof settlement>;

/**
 * The events of a conversation's stream; each payload is public as it is. Ordered so that their examples form the story of a withdrawal,
 * followed by other events.
 */
export const conversationEvents = [
  created,
  uploaded,
  runEvents.started,
  runEvents.claimed,
  runEvents.step,
  runEvents.called,
  approvalEvents.opened,
  runEvents.suspended,
  approvalEvents.decided,
  runEvents.resumed,
  submitted,
  runEvents.returned,
  runEvents.reasoning,
  runEvents.message,
  runEvents.ended,
  settlement,
  updated,
  runEvents.stopping,
  approvalEvents.expired,
  triggered,
  archived,
] as const;
export type ConversationEvent = EventOf<(typeof conversationEvents)[number]>;

/** Members that are stored in the event's metadata, because everything in the stream's payloads is public. */
export const privateMembers = privateMembersOf<ConversationEvent['type']>(conversationEvents);
