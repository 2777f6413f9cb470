import type { ConversationEvent, PrivateMembers, TextDelta } from '@app/conversations';
import { limits } from '@app/kernel';
import {
  constant,
  exactly,
  integer,
  object,
  withName,
  nameOf,
  pageMembers,
  shape,
  text,
  variants,
  type Schema,
  type Shaped,
} from '@app/schema';
import type { OperationView } from '@app/wallets';
import { conversationPayloads } from './conversation-payloads';
import { livePayloads, runPayloads } from './run-payloads';

/** The schema of each journaled event's payload, by its type; the set is closed (specification, "Events"). */
const journaledPayloads = { ...conversationPayloads, ...runPayloads };

type JournaledType = ConversationEvent['type'];
type EventOf<Type extends JournaledType> = Extract<ConversationEvent, { readonly type: Type }>;
/** The event without what is kept in its metadata. */
type PublicPart<Type extends JournaledType> = Omit<
  EventOf<Type>,
  Type extends keyof PrivateMembers ? PrivateMembers[Type][number] : never
>;
/** What an operation came to is plain JSON to the conversation that it is copied into. */
type Settlement = Omit<PublicPart<'settlement.updated'>, 'actions' | 'failure'> &
  Pick<OperationView, 'actions' | 'failure'>;

// The compiler holds schemas and events together: an event or a member that only one of them has does not compile.
exactly<{
  readonly [Type in JournaledType]: Type extends 'settlement.updated' ? Settlement : PublicPart<Type>;
}>()(object(journaledPayloads));
exactly<{ readonly 'agent.text_delta': TextDelta }>()(object(livePayloads));

const delivery = {
  durable: constant('durable', { description: 'In the journal: it is delivered again to whoever resumes before it' }),
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

const EventPayload = withName('EventPayload', variants(Object.values(journaledPayloads), { by: 'type' }));

/** FinEvent, as the journal holds it (docs/decisions/journal.md). */
const FinEvent = shape('FinEvent', durable(EventPayload), { description: "An event of a conversation's journal" });
export type FinEvent = Shaped<typeof FinEvent>;

export interface LiveEvent {
  readonly delivery: 'live';
  readonly payload: Shaped<(typeof livePayloads)['agent.text_delta']>;
}

/** A page of a journal. It can be gone on with after its end, too, since journals grow. */
export const FinEventPage = shape('FinEventPage', {
  ...pageMembers(FinEvent, limits.eventsLimitMax),
  endCursor: text({
    max: limits.cursorLengthMax,
    description: 'Passed back as `cursor`, now or later, it goes on after the last event of this page',
  }),
});

/** The `data` of each SSE frame of `conversations.stream`, by its `event`. */
export const frameSchemas: Readonly<Record<string, { readonly payload: Schema; readonly frame: Schema }>> = {
  ...mapPayloads(journaledPayloads, (name, payload) => shape(`${name}Frame`, durable(payload))),
  ...mapPayloads(livePayloads, (name, payload) => shape(`${name}Frame`, { delivery: delivery.live, payload })),
};

function mapPayloads(payloads: Readonly<Record<string, Schema>>, framed: (name: string, payload: Schema) => Schema) {
  return Object.fromEntries(
    Object.entries(payloads).map(([type, payload]) => [
      type,
      { payload, frame: framed(nameOf(payload) ?? type, payload) },
    ]),
  );
}
