import { exampleIds } from '@app/consent';
import type { MessageId, RunId, RunKey, UserId } from '@app/kernel';
import { clear, event, internal, personal, uuid, type EventOf } from '@app/schema';
import { RunRequest, RunRequestInput, type ResolvedRun } from './run.schema';

const runId = clear(uuid<RunId>());
/** The run's id inside the deployment. */
const runKey = clear(internal<RunKey>());

const exampleRun = '019a3c66-4c1d-7e52-9b07-2d8a6f5e1c33';

const queued = event(
  'input.queued',
  'A run waits until no other run of the conversation is open; then it starts by itself.',
  {
    public: { runId, request: personal(RunRequest) },
    /** The run's owner, the id of its message, and the resolution of its request by now; it is resolved again when it starts. */
    private: {
      runKey,
      userId: clear(internal<UserId>()),
      messageId: clear(internal<MessageId>()),
      resolved: clear(internal<ResolvedRun>()),
    },
    example: { runId: exampleRun, request: { input: { text: 'and how much is that in euros?' } } },
  },
);

const withdrawn = event('input.withdrawn', 'A run that waited in the queue was aborted before it started.', {
  public: { runId },
  private: { runKey },
  example: { runId: exampleRun },
});

/** In the stream of the run that it joins. */
export const steered = event(
  'run.steered',
  'The user has said something more to the live run; the model reads it in its next step.',
  {
    public: {
      runId,
      messageId: clear(uuid<MessageId>({ description: "Of the message in the conversation's messages" })),
      input: personal(RunRequestInput),
    },
    /** The run that it becomes if this one ends before the model has read it. */
    private: { runKey, ownRunId: clear(internal<RunId>()), ownRunKey: clear(internal<RunKey>()) },
    example: {
      runId: exampleIds.run,
      messageId: '019a3c61-6b20-7a44-8d10-5c3e2f9b7a66',
      input: { text: 'only half of it, please' },
    },
  },
);

/** The facts of the queue, in its conversation's stream. */
export const queueEvents = { queued, withdrawn };
export type QueueEvent = EventOf<(typeof queueEvents)[keyof typeof queueEvents]>;
