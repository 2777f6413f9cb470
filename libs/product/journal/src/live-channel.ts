import { isJsonObject, parseUuid, type ConversationId, type JsonObject, type Sealed } from '@app/kernel';
import { reasoningDelta, textDelta, type LiveDelta } from '@app/conversations';
import { conversationKeyId, isSealedValue, openValue, placeOf, sealValue } from '@app/sealing';

/** The PostgreSQL channel on which workers send all replicas the text that is being written right now. */
export const liveChannel = 'parley_live';

/** PostgreSQL accepts payloads of less than 8,000 bytes; the other members of a delta, sealed with the text, are below the remainder. */
const textBytesMax = 5_200;
const idLength = 36;
const liveTypes: readonly LiveDelta['type'][] = [textDelta.type, reasoningDelta.type];

/** A message of the channel, whose delta is still sealed: PostgreSQL keeps payloads in files. */
export interface SealedDelta {
  readonly conversationId: ConversationId;
  readonly delta: Sealed;
}

/** The delta as JSON text, with what is needed to pass it on. */
export interface HeardDelta {
  readonly type: LiveDelta['type'];
  readonly messageId: string;
  readonly payloadText: string;
}

/**
 * Returns the payloads that carry a delta, in order, its text cut between code points if it is too long for one.
 * @param name differs for each payload, because PostgreSQL delivers equal ones of a transaction only once
 * @param key of the conversation's words
 */
export function writeDelta(
  conversationId: ConversationId,
  delta: LiveDelta,
  name: () => string,
  key: Buffer,
): string[] {
  const keyId = conversationKeyId(conversationId);
  return pieces(delta.text).map((text) => {
    const value: JsonObject = { ...delta, text };
    return `${conversationId} ${sealValue(key, { keyId, eventId: name(), path: 'live' }, value).sealed}`;
  });
}

/** Reads a payload of the channel if its conversation is wanted; null otherwise, and for anything but a sealed delta of it. */
export function readDelta(payload: string, wanted: (conversationId: string) => boolean): SealedDelta | null {
  const conversationId = parseUuid<ConversationId>(payload.slice(0, idLength));
  if (conversationId === null || !wanted(conversationId)) return null;
  // Any user of the database may notify of something else.
  const delta: unknown = { sealed: payload.slice(idLength + 1) };
  const isOwn = isSealedValue(delta) && placeOf(delta).keyId === conversationKeyId(conversationId);
  return isOwn ? { conversationId, delta } : null;
}

/** Opens a delta; null for one that does not open, and for anything but a delta. */
export function openDelta({ delta: sealed }: SealedDelta, key: Buffer): HeardDelta | null {
  const delta = openedOrNull(key, sealed);
  if (!isJsonObject(delta) || typeof delta['messageId'] !== 'string') return null;
  const type = liveTypes.find((one) => one === delta['type']);
  if (type === undefined) return null;
  return { type, messageId: delta['messageId'], payloadText: JSON.stringify(delta) };
}

function openedOrNull(key: Buffer, sealed: Sealed) {
  try {
    return openValue(key, sealed);
  } catch {
    return null; // somebody else's: only this service has the key
  }
}

function pieces(text: string): string[] {
  if (Buffer.byteLength(JSON.stringify(text)) <= textBytesMax) return [text];
  const half = text.length >> 1;
  const middle = isLowSurrogate(text.charCodeAt(half)) ? half + 1 : half;
  return [...pieces(text.slice(0, middle)), ...pieces(text.slice(middle))];
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
