import {
  check,
  inside,
  instantIn,
  instantRule,
  isBoundedJson,
  isJsonObject,
  membersOf,
  refuse,
  ok,
  rootPart,
  wrong,
  type JsonObject,
  type Part,
  type Result,
} from '@app/kernel';
import { withoutOthers, givenInstant, json, mapOf, shape, text } from '@app/schema';
import type { InboundEvent } from './input.stream';

const idForm = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$/;
const typeForm = /^[A-Za-z][A-Za-z0-9_.:-]{0,79}$/;

/** What can be said of arbitrary JSON objects in JSON Schema. */
export const eventDataShape = {
  ...mapOf(json(), {
    description: 'Arbitrary JSON: at most 16 KiB as serialized, 8 levels, and 256 members and items together',
  }),
};

/** Inbound event, as webhooks deliver it (specification, "Inbound event"). */
export const InboundEventShape = withoutOthers(
  shape('InboundEvent', {
    id: text({ pattern: idForm, description: 'Chosen by the sender: of events with one id the first stands' }),
    type: text({ pattern: typeForm }),
    occurredAt: givenInstant({ description: 'When it happened, as the sender says' }),
    data: eventDataShape,
  }),
);

/** Whether a text can be an event's type: 1 to 80 characters, a letter first (specification, "Inbound event"). */
function isEventType(value: unknown): value is string {
  return typeof value === 'string' && typeForm.test(value);
}

/** Whether a value can be an event's data, or a signal's input: a JSON object within the limits of arbitrary JSON. */
export function isEventData(value: unknown): value is JsonObject {
  return isJsonObject(value) && isBoundedJson(value);
}

/**
 * Reads an inbound event out of JSON, strictly (specification, "Inbound event").
 * @param member the name of the member that holds it, for the pointers of issues; null where it is the whole input
 */
export function parseInboundEvent(value: unknown, member: string | null = null): Result<InboundEvent> {
  const root = rootPart(value);
  const event = eventOf(member === null ? root : inside(root, member, value));
  return event !== null && root.issues.length === 0
    ? ok(event)
    : refuse({ kind: 'invalid_input', issues: root.issues });
}

function eventOf(part: Part): InboundEvent | null {
  const members = membersOf(part, ['id', 'type', 'occurredAt', 'data']);
  if (members === null) return null;
  const isId = (value: unknown): value is string => typeof value === 'string' && idForm.test(value);
  const id = check(members.id, isId, 'must be 1 to 128 letters, digits, _ . : or -, the first a letter or digit');
  const type = check(members.type, isEventType, 'must be 1 to 80 letters, digits, _ . : or -, the first a letter');
  const occurredAt = instantIn(members.occurredAt.value) ?? wrong(members.occurredAt, instantRule);
  const data = check(members.data, isEventData, 'must be an object of at most 16 KiB, 8 levels and 256 entries');
  return id === null || type === null || occurredAt === null || data === null ? null : { id, type, occurredAt, data };
}
