import { approvalEvents, exampleIds } from '@app/consent';
import { limits, occurrenceTriggers, openOr } from '@app/kernel';
import type { ApprovalId, ArtifactId, JsonValue, MessageId, OperationId, RunId, UserId } from '@app/kernel';
import { byName, clear, event, integer, internal, list, nullable, oneOf, personal, storedMembersOf } from '@app/schema';
import { text, uuid } from '@app/schema';
import type { EventOf } from '@app/schema';
import { superseded } from './line';
import { queueEvents } from './run/queue.events';
import { exampleMessages, exampleOperationId, exampleToken, runEvents } from './run/run.events';

export const origins = ['conversation', 'automation'] as const;
export type Origin = (typeof origins)[number];

const title = text({ min: 1, max: limits.titleLengthMax });
const operationId = uuid<OperationId>({ description: 'Of `financialOperations.get`' });

const created = event('conversation.created', 'The conversation begins.', {
  public: {
    title: personal(nullable(title)),
    origin: clear(oneOf(origins)),
    automationId: clear(nullable(uuid(), { description: 'Of the automation that began it' })),
  },
  private: { userId: clear(internal<UserId>()) },
  example: { title: 'Savings', origin: 'conversation', automationId: null },
});

const updated = event('conversation.updated', 'The conversation has another title.', {
  public: { title: personal(title) },
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
    public: { automationId: clear(uuid()), occurrenceId: clear(uuid()), trigger: clear(oneOf(occurrenceTriggers)) },
    example: {
      automationId: '019a3b02-55c1-7d20-8e6f-9b3a7c5d1e07',
      occurrenceId: '3f2b8c1d-7a6e-5d4c-9b0f-1e2d3c4b5a60',
      trigger: 'schedule',
    },
  },
);

/** The sealed file that has an artifact's bytes, by its own hash. */
export interface SealedContent {
  /** Lower-case hex. */
  readonly sha256: string;
  readonly bytes: number;
}

/** A file of the conversation; its bytes are stored elsewhere, sealed. */
const uploaded = event('artifact.uploaded', 'The conversation has one more file.', {
  public: {
    artifactId: clear(uuid<ArtifactId>()),
    name: personal(text({ min: 1, max: 128 })),
    mediaType: personal(text({ max: 255, description: 'As it was declared' })),
    bytes: clear(integer({ min: 1 })),
    /** Personal, because whoever guesses the file could compare its hash. */
    sha256: personal(text({ pattern: /^[0-9a-f]{64}$/, description: 'Of the bytes, in hex' })),
  },
  /** Null for a file of earlier versions: its bytes lie unsealed under `sha256`, and other artifacts may have the same ones. */
  private: { content: clear(internal<SealedContent | null>()) },
  example: {
    artifactId: '019a3c60-4a0c-7f9e-a1d2-6c5b8e7f3a09',
    name: 'budget.csv',
    mediaType: 'text/csv',
    bytes: 15,
    sha256: 'c86066149fd3cf01ec7449cd3e91a293a620f963a8cf3d4a3b9087b3622ba83e',
  },
});
export type ArtifactFacts = Omit<EventOf<typeof uploaded>, 'type' | 'at'>;

/** A file with its words open. */
export interface OpenArtifact {
  readonly artifactId: ArtifactId;
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly content: SealedContent | null;
}

/** Returns the file with its words open; null once they are erased, with which its bytes are gone too. */
export function openArtifact(facts: ArtifactFacts): OpenArtifact | null {
  const { artifactId, bytes, content } = facts;
  const [name, mediaType, sha256] = [facts.name, facts.mediaType, facts.sha256].map((words) => openOr(words, null));
  if (name == null || mediaType == null || sha256 == null) return null;
  return { artifactId, name, mediaType, bytes, sha256, content };
}

const submitted = event('operation.submitted', 'A transfer of the agent was handed to its provider.', {
  public: {
    operationId: clear(operationId),
    runId: clear(nullable(uuid<RunId>())),
    approvalId: clear(uuid<ApprovalId>()),
  },
  example: { operationId: exampleOperationId, runId: exampleIds.run, approvalId: exampleIds.approval },
});

const settlement = event(
  'settlement.updated',
  'The transfer is over. This, and `financialOperations.get`, is the only evidence of settlement.',
  {
    public: {
      operationId: clear(operationId),
      status: clear(oneOf(['settled', 'failed'])),
      /** As in `financialOperations.get`, like `failure` below. */
      actions: clear(list(byName<JsonValue>('OperationAction'), { min: 1 })),
      failure: clear(nullable(byName<JsonValue>('OperationFailure'))),
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

export const ratings = ['up', 'down'] as const;
export type Rating = (typeof ratings)[number];
export const ratingText = text({ min: 1, max: 1000, description: "The user's reason, for whoever reads the ratings" });

const rated = event(
  'message.rated',
  'The user has rated a message of the agent; the last rating of a message counts.',
  {
    public: {
      messageId: clear(uuid<MessageId>({ description: "Of the message in the conversation's messages" })),
      runId: clear(uuid<RunId>({ description: 'Of the run in which the agent said it' })),
      rating: clear(oneOf(ratings)),
      text: personal(nullable(ratingText)),
    },
    example: { messageId: exampleMessages.said, runId: exampleIds.run, rating: 'up', text: null },
  },
);

export type MessageRating = Pick<EventOf<typeof rated>, 'messageId' | 'rating' | 'text'>;

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
  rated,
  runEvents.steered,
  queueEvents.queued,
  queueEvents.withdrawn,
  superseded,
  updated,
  runEvents.stopping,
  approvalEvents.expired,
  triggered,
  archived,
] as const;
export type ConversationEvent = EventOf<(typeof conversationEvents)[number]>;

/** Members that are stored in the event's metadata, because everything in the stream's payloads is public, and those that are sealed. */
export const conversationMembers = storedMembersOf(conversationEvents);
