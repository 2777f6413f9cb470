import { jsonEvent, type EventData } from '@eventstore/db-client';
import { Logger } from '@nestjs/common';
import { erased, isErased, isJsonObject, isSealed, type JsonObject, type JsonValue, type Sealed } from '@app/kernel';
import { isSealedAt, openValue, sealValue, type KeyId, type KeyRing, type Place } from '@app/sealing';
import { personalPathsOf } from './personal-paths';
import type { EventMetadata, SealedMembers, StoredEvent } from './codec';

const logger = new Logger('SealedEvents');

/**
 * Returns the event as it is stored: the members with a person's words are ciphertexts. Seal an encoded event once: a retry after a lost
 * answer resends the same bytes.
 * @param encoded by `encodeEvent`. @param paths of the personal members; those that the event does not have are left out
 */
export function sealEvent(encoded: EventData, paths: readonly string[], keyId: KeyId, key: Buffer): EventData {
  // Reason for the assertion: `encodeEvent` gives every event a JSON object and this metadata.
  const { id: eventId, data, metadata } = encoded as unknown as Encoded;
  const seal = (path: string) => (value: JsonValue) => asJson(sealValue(key, { keyId, eventId, path }, value));
  const members = paths.filter((path) => has(data, path) || has(metadata.private, path));
  if (members.length === 0) return encoded;
  const sealed: SealedMembers = { key: keyId, members };
  const { data: payload, secret } = changed({ data, secret: metadata.private }, members, seal);
  // Reason for the assertion: it is the same event with other members.
  return {
    ...encoded,
    data: payload,
    metadata: { ...metadata, ...(secret && { private: secret }), sealed },
  } as EventData;
}

/** As `sealEvent`, for an event that was stored with open words. */
export function sealStored(stored: StoredEvent, paths: readonly string[], keyId: KeyId, key: Buffer): StoredEvent {
  const { id, type, payload, metadata } = stored;
  const encoded = jsonEvent({ id, type, data: payload, metadata: { ...metadata } });
  // Reason for the assertion: it is the same event with other members.
  const sealed = sealEvent(encoded, paths, keyId, key) as unknown as Encoded;
  return { ...stored, payload: sealed.data, metadata: sealed.metadata };
}

/**
 * Returns the event as it is stored once its key is destroyed: `{"erased": true}` takes the place of its words. Its metadata names the key,
 * and no members, so that it does not count as an event with words in clear.
 */
export function eraseEvent(encoded: EventData, paths: readonly string[], keyId: KeyId): EventData {
  // Reason for the assertion: as in `sealEvent`.
  const { data, metadata } = encoded as unknown as Encoded;
  const { data: payload, secret } = changed({ data, secret: metadata.private }, paths, () => () => gone);
  const sealed: SealedMembers = { key: keyId, members: [] };
  // Reason for the assertion: it is the same event with other members.
  return {
    ...encoded,
    data: payload,
    metadata: { ...metadata, ...(secret && { private: secret }), sealed },
  } as EventData;
}

/**
 * Whether an event has words that are neither sealed nor erased, as versions before 0.2.0 stored them. A member that no mark names is of
 * such a version, and may have words.
 * @param members of the kind, by event type @param stored in its present version
 */
export function hasOpenWords(members: object, { type, payload, metadata }: StoredEvent): boolean {
  if (metadata.sealed !== undefined) return false;
  const paths = personalPathsOf(members, type);
  const all = { ...metadata.private, ...payload };
  const isWords = (value: JsonValue | undefined) => value !== undefined && value !== null && !isErased(value);
  // Reason for the assertion: a kind has marks for each of its types.
  const marks = Reflect.get(members, type) as object | undefined;
  const isUnmarked = (name: string) => marks !== undefined && !Object.hasOwn(marks, name) && !isOfAll(name);
  return paths.some((path) => isWords(valueAt(all, path))) || Object.keys(all).some(isUnmarked);
}

/** Whether every event has a member of this name. */
function isOfAll(name: string): boolean {
  return name === 'type' || name === 'at';
}

interface Encoded {
  readonly id: string;
  readonly data: JsonObject;
  readonly metadata: EventMetadata;
}

/** The key of an event's words; null where it has none that are sealed. */
export function sealedUnder({ metadata: { sealed } }: StoredEvent): KeyId | null {
  return sealed?.key ?? null;
}

/**
 * Returns the event with its words open. Words that do not open were altered or moved: they are erased too, and the log names the event.
 * @param key null where it was destroyed: then the words are erased
 * @param opening opens a sealed value with a key
 */
export function openEvent(stored: StoredEvent, key: Buffer | null, opening: Opening = openValue): StoredEvent {
  const { payload, metadata } = stored;
  if (metadata.sealed === undefined) return stored;
  const { key: keyId, members } = metadata.sealed;
  const open = (path: string) => (value: JsonValue) => {
    const place = { keyId, eventId: stored.id, path };
    const opened = key === null ? undefined : openedAt(stored, place, value, key, opening);
    return opened === undefined ? gone : opened;
  };
  const { data, secret } = changed({ data: payload, secret: metadata.private }, members, open);
  const { sealed: _, ...rest } = metadata;
  return { ...stored, payload: data, metadata: secret === undefined ? rest : { ...rest, private: secret } };
}

/**
 * Returns the events with their words open: those whose key was destroyed, or never existed here, have `{"erased": true}` in their place.
 * Reads the keys that are not in memory with one call. Throws Unavailable.
 */
export async function openEvents(keys: KeyRing, events: readonly StoredEvent[]): Promise<StoredEvent[]> {
  const ids = new Set(events.flatMap((event) => sealedUnder(event) ?? []));
  if (ids.size === 0) return [...events];
  const found = await keys.keysOf([...ids]);
  const opening: Opening = (key, value) => keys.open(key, value);
  return events.map((event) => {
    const id = sealedUnder(event);
    return id === null ? event : openEvent(event, found.get(id) ?? null, opening);
  });
}

type Opening = (key: Buffer, value: Sealed) => JsonValue;

const gone = asJson(erased);

/** Returns a member of an event, opened; undefined if it is not what was sealed there. */
function openedAt({ stream, revision }: StoredEvent, place: Place, value: JsonValue, key: Buffer, opening: Opening) {
  try {
    if (isSealed(value) && isSealedAt(value, place)) return opening(key, value);
  } catch {
    // AES-GCM gives no further reason.
  }
  logger.error(`${place.path} of event ${revision} of ${stream} does not open: its bytes were altered or moved`);
  return undefined;
}

/** The public and the private members of an event. */
interface Parts {
  readonly data: JsonObject;
  readonly secret: JsonObject | undefined;
}

function changed(
  parts: Parts,
  paths: readonly string[],
  change: (path: string) => (value: JsonValue) => JsonValue,
): Parts {
  let { data, secret } = parts;
  for (const path of paths) {
    if (has(data, path)) data = replaced(data, path, change(path));
    else if (secret !== undefined && has(secret, path)) secret = replaced(secret, path, change(path));
  }
  return { data, secret };
}

function has(object: JsonObject | undefined, path: string): boolean {
  return valueAt(object, path) !== undefined;
}

function valueAt(object: JsonObject | undefined, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = object;
  for (const name of namesOf(path)) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

function replaced(object: JsonObject, path: string, change: (value: JsonValue) => JsonValue): JsonObject {
  const [name = '', ...rest] = namesOf(path);
  const value = object[name] ?? null;
  const next = rest.length === 0 || !isJsonObject(value) ? change(value) : replaced(value, rest.join('/'), change);
  return { ...object, [name]: next };
}

/** The names in a path. Most paths are one name, and splitting is much of the work of opening an event. */
function namesOf(path: string): readonly string[] {
  return path.includes('/') ? path.split('/') : [path];
}

/** A value of the same members, as JSON: the brands of `Sealed` and `Erased` exist for the compiler only. */
function asJson(value: object): JsonValue {
  // Reason for the assertion: both are JSON objects.
  return value as JsonObject;
}
