import { conversationEvents, reasoningDelta, textDelta, toolProgress } from '@app/conversations';
import { limits, type JsonObject } from '@app/kernel';
import { constant, integer, nameOf, pageMembers, shape, text, variants, withName, type Schema } from '@app/schema';

/** Live frames precede the last message in the story of the examples. */
const liveSecond = 13;

const delivery = {
  durable: constant('durable', { description: 'In the journal: a client that resumes before it is sent it again' }),
  live: constant('live', { description: 'Presentation only: it has no place in the journal and is never replayed' }),
};
const seq = integer({
  min: 1,
  max: limits.streamCursorMax,
  description: "Its place in the conversation's journal, without gaps; SSE `id`, and cursor of `conversations.stream`",
});
const requestId = text({
  pattern: limits.requestIdPattern,
  description: "Of the request that caused it; for a run's events that of its start or last decision",
});

/** The envelope of a journaled event around a payload. */
function durable<Payload extends Schema>(payload: Payload) {
  return { delivery: delivery.durable, seq, requestId, payload };
}

const payloads = conversationEvents.map(({ payload }) => payload);
const EventPayload = withName('EventPayload', variants(payloads, { by: 'type' }));

/** FinEvent, as journaled (docs/decisions/journal.md). */
const FinEvent = shape('FinEvent', durable(EventPayload), { description: "An event of a conversation's journal" });

/** A page of a journal. It can be continued after its end, too, since journals grow. */
export const FinEventPage = shape('FinEventPage', {
  ...pageMembers(FinEvent, limits.eventsLimitMax),
  endCursor: text({
    max: limits.cursorLengthMax,
    description: 'Passed back as `cursor`, now or later, it goes on after the last event of this page',
  }),
});

/** A frame of `conversations.stream` as documents describe it. */
export interface DescribedFrame {
  readonly type: string;
  readonly payload: Schema;
  /** The SSE frame's `data`. */
  readonly frame: Schema;
  /** A true event of the type, as delivered. */
  readonly example: JsonObject;
}

/** Every frame, by the type of its payload. The set is closed (specification, "Events"). */
export const frames: readonly DescribedFrame[] = [
  ...conversationEvents.map(({ type, payload, example }, index) => ({
    type,
    payload,
    frame: shape(`${nameOf(payload) ?? type}Frame`, durable(payload)),
    example: {
      delivery: 'durable',
      seq: index + 1,
      requestId: 'web-7c1f0e2d',
      payload: { type, at: exampleInstant(index), ...example },
    },
  })),
  ...[textDelta, reasoningDelta, toolProgress].map(({ type, payload, example }) => ({
    type,
    payload,
    frame: shape(`${nameOf(payload) ?? type}Frame`, { delivery: delivery.live, payload }),
    example: { delivery: 'live', payload: { type, at: exampleInstant(liveSecond), ...example } },
  })),
];

/** Returns a true event of this type, as delivered. @throws Error for a type without one */
export function exampleOf(type: string): JsonObject {
  const frame = frames.find((one) => one.type === type);
  if (frame === undefined) throw new Error(`there is no event ${type}`);
  return frame.example;
}

/** The examples form one story, one second apart. */
function exampleInstant(second: number): string {
  return `2026-11-21T09:18:${String(second).padStart(2, '0')}.337Z`;
}
