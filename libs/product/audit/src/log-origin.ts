import type { EventStore, ReceivedEvent } from '@app/event-store';
import { isJsonObject } from '@app/kernel';
import { checkpointsStream } from './covered-events';

const pageEvents = 200;

/** Whose log an event store holds: by its origin; none; or one whose stream was deleted or cut, so that nobody knows. */
export type FoundOrigin = string | null | typeof unreadable;

export const unreadable = Symbol('unreadable');

/** The log that an event store holds now, as its newest events say, and not what a database remembers of some store. Throws Unavailable. */
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

/** A log is named where it begins, where it is resumed, and in the key of each checkpoint. */
function originOf({ type, data }: ReceivedEvent): string | null {
  const fact = parsed(data);
  if (!isJsonObject(fact)) return null;
  const named = type === 'checkpoint.signed' ? originOfKey(fact['key']) : fact['origin'];
  return typeof named === 'string' ? named : null;
}

/** Source: C2SP signed-note, "verifier keys": name, id and key with `+` between; a name has none. */
function originOfKey(key: unknown): string | null {
  return typeof key === 'string' ? (key.split('+', 1)[0] ?? null) : null;
}

function parsed(data: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(data).toString('utf8'));
  } catch {
    return null; // it is no JSON, which `audit verify` names
  }
}
