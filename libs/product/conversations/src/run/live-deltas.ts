import { exampleIds } from '@app/consent';
import type { MessageId, RunId } from '@app/kernel';
import { clear, event, text, uuid, type EventOf } from '@app/schema';
import { exampleMessages } from './run.events';

const runId = clear(uuid<RunId>());
const messageId = clear(uuid<MessageId>({ description: "Of the message in the conversation's messages" }));
/** A delta is stored nowhere, so there is nothing to seal. */
const grows = clear(text({ min: 1 }));

/** Live only: presentation of a message that is still being written; it is not journaled. */
export const textDelta = event(
  'agent.text_delta',
  'What a message that is being written grows by. Live only: never replayed, and `agent.message` has the whole.',
  {
    public: { runId, messageId, text: grows },
    example: { runId: exampleIds.run, messageId: exampleMessages.said, text: 'The withdrawal of ' },
  },
);
export type TextDelta = EventOf<typeof textDelta>;

/** Live only, as `textDelta` is. */
export const reasoningDelta = event(
  'agent.reasoning_delta',
  'What the reasoning of a step grows by. Live only: never replayed, and `agent.reasoning` has the whole.',
  {
    public: { runId, messageId: clear(uuid<MessageId>({ description: 'Of its `agent.reasoning`' })), text: grows },
    example: { runId: exampleIds.run, messageId: exampleMessages.thought, text: 'The user wants to ' },
  },
);
/** A piece of text that is being written right now, in a message or in the reasoning before it. */
export type LiveDelta = TextDelta | EventOf<typeof reasoningDelta>;
