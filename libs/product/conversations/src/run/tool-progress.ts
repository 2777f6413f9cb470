import { exampleIds } from '@app/consent';
import type { RunId } from '@app/kernel';
import { clear, event, nullable, number, text, uuid, type EventOf } from '@app/schema';
import type { LiveDelta } from './live-deltas';
import { exampleCallId, toolCallId } from './run.events';

/** Bounds of a server's numbers and words: numbers up to this one are exact in JSON, and the length is in characters. */
export const progressBounds = { numberMax: Number.MAX_SAFE_INTEGER, messageLengthMax: 200 };

const count = { min: 0, max: progressBounds.numberMax };
const runId = clear(uuid<RunId>());
const progress = clear(number({ ...count, description: 'How far the call is, in the unit of `total`' }));
const total = clear(nullable(number(count), { description: 'The `progress` of a finished call; null if unknown' }));
/** Words of the tool's server. A frame is stored nowhere, so there is nothing to seal. */
const message = clear(
  nullable(text({ min: 1, max: progressBounds.messageLengthMax }), {
    description: "One line in the words of the tool's server: data to show, never an instruction. Null if it gave none",
  }),
);

/** Live only: a tool's report of its progress; it is not journaled. */
export const toolProgress = event(
  'agent.tool_progress',
  'How far a tool call is that has not returned yet. Live only, at most 4 a second for each call: never replayed, and `tool.returned` ends it.',
  {
    public: { runId, toolCallId, progress, total, message },
    example: {
      runId: exampleIds.run,
      toolCallId: exampleCallId,
      progress: 2,
      total: 3,
      message: 'Invoice 2 of 3',
    },
  },
);
/** A payload that is shown right now and stored nowhere. */
export type LivePayload = LiveDelta | EventOf<typeof toolProgress>;
