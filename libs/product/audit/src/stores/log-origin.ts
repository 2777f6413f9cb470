import type { EventStore, ReceivedEvent } from '@app/event-store';
import { isJsonObject } from '@app/kernel';
import { checkpointsStream } from '../log/covered-events';

const pageEvents = 200;

/** A log's name; null if there is none; unreadable if the log's stream was deleted or truncated. */
export type FoundOrigin = string | null | typeof unreadable;

export const unreadable = Symbol('unreadable');

/** Returns the origin of an event store's log, from its newest events, not the database. Throws Unavailable. */
export async function originIn(store: EventStore): Promise<FoundOrigin> {
  const { last, damage } = await store.remainsOf(checkpointsStream);
  for (let next = last; next >= 0; next -= pageEvents) {
    const page = await store.readRemaining(checkpointsStream, Math.max(0, next - pageEvents + 1), pageEvents);
    const origin = page
      .toReversed()
      .map(originOf)
      .find((one) => one !== null);
    if (origin !== undefined) return origin;
  }
  return damage === null ? null : unreadable;
}

/** The log's name is in its first event, in each resumption, and in the key of each checkpoint. */
function originOf({ type, data }: ReceivedEvent): string | null {
  const fact = parsed(data);
  if (!isJsonObject(fact)) return null;
  const named = type === 'checkpoint.signed' ? originOfKey(fact['key']) : fact['origin'];
  return typeof named === 'string' ? named : null;
}

/** Source: C2SP signed-note, "verifier keys": name, id and key joined by `+`, which a name cannot contain. */
function originOfKey(key: unknown): string | null {
  return typeof key === 'string' ? (key.split('+', 1)[0] ?? null) : null;
}

function parsed(data: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(data).toString('utf8'));
  } catch {
    return null; // not JSON, which `audit verify` reports
  }
}
