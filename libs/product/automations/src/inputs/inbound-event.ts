import { isBoundedJson, isJsonObject, type JsonObject } from '@app/kernel';
import { custom, exactly, givenInstant, json, mapOf, shape, text, withoutOthers } from '@app/schema';
import type { InboundEvent } from './input.stream';

/** An event's data, or a signal's input: arbitrary JSON. */
export const eventDataShape = custom(
  mapOf(json(), {
    description: 'Arbitrary JSON: at most 16 KiB as serialized, 8 levels, and 256 members and items together',
  }),
  isEventData,
  'must be an object of at most 16 KiB, 8 levels and 256 entries',
);

/** An inbound event in the form that webhooks deliver (specification, "Inbound event"). */
export const InboundEventShape = exactly<InboundEvent>()(
  withoutOthers(
    shape('InboundEvent', {
      id: text({
        pattern: /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,127}$/,
        message: 'must be 1 to 128 letters, digits, _ . : or -, the first a letter or digit',
        description: 'Chosen by the sender: of events with one id the first one counts',
      }),
      type: text({
        pattern: /^[A-Za-z][A-Za-z0-9_.:-]{0,79}$/,
        message: 'must be 1 to 80 letters, digits, _ . : or -, the first a letter',
      }),
      occurredAt: givenInstant({ description: 'When it happened, as the sender says' }),
      data: eventDataShape,
    }),
  ),
);

function isEventData(value: unknown): value is JsonObject {
  return isJsonObject(value) && isBoundedJson(value);
}
