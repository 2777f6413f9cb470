import { jsonEvent, type EventData } from '@eventstore/db-client';
import { isJsonList, isJsonObject, type Actor, type Cause, type JsonObject, type JsonValue } from '@app/kernel';
import { v7 as uuidV7 } from 'uuid';
import type { ReceivedEvent } from '@app/event-store-wire';
import type { KeyId } from '@app/sealing';
import type { DomainEvent, StreamKind } from './stream-kind';

/** States in an event's metadata which of its members are sealed, and under which key. */
export interface SealedMembers extends JsonObject {
  readonly key: KeyId;
  /** Paths of members, of the payload or of the private part: `title`, `definition/name`. */
  readonly members: readonly string[];
}

/** Metadata stored with an event's public payload: who caused it, why, and the members that must not be public. */
export interface EventMetadata {
  readonly $correlationId: string;
  readonly $causationId: string;
  readonly requestId: string;
  readonly actor: Actor;
  /** Version of the stored shape; absent means 1. */
  readonly v?: number;
  readonly private?: JsonObject;
  /** Set where words of a person are sealed. */
  readonly sealed?: SealedMembers;
}

/**
 * An event as the store returned it: `payload` is the public form, exactly as it was appended or lifted by its upcasters. Words of a person
 * are open where a single stream was read, and sealed where many streams are followed (`EventStore.open`).
 */
export interface StoredEvent {
  readonly stream: string;
  /** Revision in its stream, from 0; a journal's `seq` is this + 1. */
  readonly revision: number;
  /** Position in the whole store; grows in commit order. */
  readonly position: number;
  readonly id: string;
  readonly type: string;
  readonly payload: JsonObject;
  readonly metadata: EventMetadata;
}

/** When an event's id was made: the first 48 bits of a UUIDv7 (RFC 9562, 5.7). */
export function mintedAtMs(eventId: string): number {
  return parseInt(eventId.replaceAll('-', '').slice(0, 12), 16);
}

/** Events in the order of the store. With them, everything up to the position `upTo` is known to be passed. */
export interface EventBatch {
  readonly events: readonly StoredEvent[];
  readonly upTo: number;
}

/** A stored event with its domain event: the payload together with the private members. */
export interface Recorded<Event> extends StoredEvent {
  readonly event: Event;
}

type AnyKind<Event extends DomainEvent> = Pick<
  StreamKind<unknown, never, Event>,
  'category' | 'privateMembers' | 'upcasters'
>;

/** Encodes an event once, with a fresh id and open words (`sealEvent` closes them); a retry after a lost answer must resend this very value. */
export function encodeEvent<Event extends DomainEvent>(kind: AnyKind<Event>, event: Event, cause: Cause): EventData {
  const hidden = privateMembersOf(kind, event.type);
  const payload: Record<string, unknown> = {};
  const secret: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(event)) (hidden.includes(name) ? secret : payload)[name] = value;
  const version = (kind.upcasters?.[event.type]?.length ?? 0) + 1;
  return jsonEvent({
    id: uuidV7(),
    type: event.type,
    data: payload,
    metadata: {
      $correlationId: cause.correlationId,
      $causationId: cause.causationId,
      requestId: cause.requestId,
      actor: cause.actor,
      ...(version > 1 ? { v: version } : {}),
      ...(hidden.length > 0 ? { private: secret } : {}),
    },
  });
}

/** An event that was just appended, as the store will return it. @param encoded by `encodeEvent` */
export function toStoredEvent(encoded: EventData, stream: string, revision: number, position: number): StoredEvent {
  const { id, type, data, metadata } = encoded;
  // Reason for the assertions: `encodeEvent` gives every event an id, a JSON object and this metadata.
  return { stream, revision, position, id, type, payload: data, metadata } as unknown as StoredEvent;
}

/** Whether an event is the server's own, such as a link or a tombstone. These may be in any stream and are no events of this product. */
export function isSystemEvent({ stream, type }: Pick<ReceivedEvent, 'stream' | 'type'>): boolean {
  return type.startsWith('$') || stream.startsWith('$');
}

/** Decodes an event that the store returned. Throws TypeError for an event that this product cannot have written. */
export function decodeStored(received: ReceivedEvent): StoredEvent {
  const { stream, revision, position, id, type } = received;
  const payload = received.isJson && !isSystemEvent(received) ? jsonObjectIn(received.data) : null;
  const metadata = jsonObjectIn(received.metadata);
  if (payload === null || metadata === null || !isOwnMetadata(metadata)) {
    throw new TypeError(`event ${revision} of ${stream} is not one of this product's`);
  }
  // Reason for the assertion: it has the members that `encodeEvent` writes.
  return { stream, revision, position, id, type, payload, metadata: metadata as unknown as EventMetadata };
}

/** Whether an event has the metadata that every version of this product writes; those of other programs have not. */
function isOwnMetadata(metadata: JsonObject): boolean {
  const { $correlationId, $causationId, requestId, actor, v, private: secret, sealed } = metadata;
  return (
    [$correlationId, $causationId, requestId].every((id) => typeof id === 'string') &&
    isJsonObject(actor) &&
    typeof actor['kind'] === 'string' &&
    typeof actor['id'] === 'string' &&
    (v === undefined || (Number.isSafeInteger(v) && Number(v) >= 1)) &&
    (secret === undefined || isJsonObject(secret)) &&
    (sealed === undefined || isSealedMembers(sealed))
  );
}

function isSealedMembers(sealed: JsonValue): boolean {
  if (!isJsonObject(sealed) || typeof sealed['key'] !== 'string') return false;
  return isJsonList(sealed['members']) && sealed['members'].every((path) => typeof path === 'string');
}

/** As `decodeStored`, but returns null for an event that this product cannot have written; subscriptions skip such events too. */
export function decodeOwn(received: ReceivedEvent): StoredEvent | null {
  try {
    return decodeStored(received);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

function jsonObjectIn(bytes: Buffer): JsonObject | null {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return isJsonObject(value) ? value : null;
  } catch {
    return null; // it is not JSON
  }
}

/** Returns the domain event of a stored one, lifted to the present version together with its private members. */
export function decodeEvent<Event extends DomainEvent>(kind: AnyKind<Event>, stored: StoredEvent): Recorded<Event> {
  const { stream, revision, position, id, type, metadata } = stored;
  const secret = metadata.private;
  const whole = secret === undefined ? stored : { ...stored, payload: { ...stored.payload, ...secret } };
  // Reason for the assertion: the event was written from this union, and fixtures of every stored version are tested.
  const event = lift(kind, whole) as unknown as Event;
  return { stream, revision, position, id, type, payload: upcast(kind, stored), metadata, event };
}

/**
 * Returns a stored event as this version would have stored it: lifted by its upcasters, with its private members in their place. Its words
 * have to be open.
 */
export function presentForm(kind: LiftingKind, stored: StoredEvent): StoredEvent {
  const { type, payload, metadata } = stored;
  const version = (kind.upcasters?.[type]?.length ?? 0) + 1;
  if ((metadata.v ?? 1) >= version) return stored;
  const secret = metadata.private ?? {};
  const hidden = privateMembersOf(kind, type);
  const isPrivate = (name: string): boolean => hidden.includes(name) || (name in secret && !(name in payload));
  const lifted = Object.entries(lift(kind, { ...stored, payload: { ...payload, ...secret } }));
  const privately = lifted.filter(([name]) => isPrivate(name));
  return {
    ...stored,
    payload: Object.fromEntries(lifted.filter(([name]) => !isPrivate(name))),
    metadata: { ...metadata, v: version, ...(privately.length > 0 && { private: Object.fromEntries(privately) }) },
  };
}

/** The public payload in its present version. */
export function upcast(kind: LiftingKind, stored: StoredEvent): JsonObject {
  return publicPart(kind, stored, lift(kind, stored));
}

/**
 * The parts of a kind that lifting old events needs. An upcaster may add members that are private in the present version. It gets the
 * private members when the whole event is read, but not when only the public payload is.
 */
export type LiftingKind = Pick<StreamKind<unknown, never, never>, 'upcasters'> & {
  readonly privateMembers?: { readonly [type: string]: readonly string[] | undefined };
};

function lift({ upcasters }: LiftingKind, { type, metadata, payload }: StoredEvent): JsonObject {
  const chain = upcasters?.[type];
  if (chain === undefined) return payload;
  return chain.slice((metadata.v ?? 1) - 1).reduce((lifted, upcaster) => upcaster(lifted), payload);
}

function publicPart(kind: LiftingKind, { type, payload }: StoredEvent, lifted: JsonObject): JsonObject {
  // A payload stored in its present version has no private members.
  if (lifted === payload) return payload;
  const hidden = privateMembersOf(kind, type);
  return Object.fromEntries(Object.entries(lifted).filter(([name]) => !hidden.includes(name)));
}

function privateMembersOf({ privateMembers }: LiftingKind, type: string): readonly string[] {
  return privateMembers?.[type] ?? [];
}
