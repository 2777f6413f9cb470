import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { closed } from '../documents/closed-schema';

/** A frame of an event stream as received; its `data` is not parsed yet. */
export interface ReceivedFrame {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: string;
}

/** Returns the fault of a frame, or null. */
export type FrameCheck = (frame: ReceivedFrame) => string | null;

/** By origin, so that each deployment's document is requested once. */
const checks = new Map<string, FrameCheck>();

/**
 * Returns a check of the frames of a service's streams against the AsyncAPI document that the same service publishes.
 * It is strict: an undocumented event or member is a fault, and so is an SSE `id` or `event` that differs from the
 * data.
 */
export async function frameCheckOf(url: string): Promise<FrameCheck> {
  const { origin } = new URL(url);
  const known = checks.get(origin);
  if (known !== undefined) return known;
  const response = await fetch(`${origin}/asyncapi.json`);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${origin}/asyncapi.json answered ${response.status}: ${text}`);
  // Reason for the assertion: a document without messages fails below.
  const check = checkBy(JSON.parse(text) as JsonObject);
  checks.set(origin, check);
  return check;
}

function checkBy(document: JsonObject): FrameCheck {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema(closed(document), 'asyncapi');
  const messages = objectOf(objectOf(document['components'])['messages']);
  const compiled = new Map<string, ValidateFunction>();
  // Compiled on demand, because a suite receives only a few of the many events.
  const checkOf = (type: string): ValidateFunction | undefined => {
    if (!Object.hasOwn(messages, type)) return undefined;
    const payload = objectOf(objectOf(messages[type])['payload']);
    const check = compiled.get(type) ?? ajv.compile(closed(payload, '#/', 'asyncapi#/'));
    compiled.set(type, check);
    return check;
  };
  return ({ id, event, data }) => {
    const fits = checkOf(event ?? '');
    if (fits === undefined) return `no event ${event} is documented: ${data.slice(0, 4_000)}`;
    // Reason for the assertion: whatever JSON.parse makes is JSON.
    const frame = objectOf(JSON.parse(data) as JsonValue);
    const fault = fits(frame) ? headFault(id, event, frame) : ajv.errorsText(fits.errors, { dataVar: 'data' });
    return fault === null ? null : `${event}: ${fault}\n${data.slice(0, 4_000)}`;
  };
}

function headFault(id: string | undefined, event: string | undefined, { seq, payload }: JsonObject): string | null {
  if (objectOf(payload)['type'] !== event) return `is called ${event}`;
  const due = typeof seq === 'number' ? String(seq) : undefined;
  return id === due ? null : `has the id ${id}`;
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
