import { invalid, type MessageId, type RunId } from '@app/kernel';
import { clear, event, integer, uuid } from '@app/schema';
import { exampleIds } from '@app/consent';

/** Most superseded parts that the state remembers; the read model knows all of them. */
const rememberedPartsMax = 64;

/**
 * A part of the journal that is no longer in the conversation's line: what a model reads, and what lists show. @property from the `seq` of
 * the first message of the part @property before the `seq` of the first event after it
 */
export interface SupersededPart {
  readonly from: number;
  readonly before: number;
}

/** A message of the user that a new run replaces. @property seq of its event */
export interface ReplacedMessage {
  readonly messageId: MessageId;
  readonly seq: number;
}

/** The refusal of a run that is to replace something else than a present message of the user. */
export const notReplaceable = invalid(
  '/input/replaces',
  'is not a message of the user in the present line of this conversation',
);

export const superseded = event(
  'message.superseded',
  "A message of the user and everything after it left the conversation's line; the run that starts with the next event replaces them.",
  {
    public: {
      messageId: clear(uuid<MessageId>({ description: 'Of the message that is replaced' })),
      fromSeq: clear(
        integer({ min: 1, description: 'The `seq` of that message: all from here to this event left the line' }),
      ),
      runId: clear(uuid<RunId>({ description: 'Of the run that replaces it' })),
    },
    example: { messageId: '019a3c61-7d90-7c11-b2e4-8a6f5d3c9b08', fromSeq: 2, runId: exampleIds.run },
  },
);

/** The parts after one more, which begins at `from` and ends before `before`; parts inside of it are a part of it. */
export function partsAfter(parts: readonly SupersededPart[], one: SupersededPart): readonly SupersededPart[] {
  return [...parts.filter(({ from }) => from < one.from), one].slice(-rememberedPartsMax);
}

/** Whether the event of this `seq` has left the line, as far as the state remembers. */
export function isSuperseded(parts: readonly SupersededPart[], seq: number): boolean {
  return parts.some(({ from, before }) => from <= seq && seq < before);
}
