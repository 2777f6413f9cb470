import { isJsonObject, parseUuid, type ConversationId, type JsonObject, type Sealed } from '@app/kernel';
import { reasoningDelta, textDelta, toolProgress, type LivePayload } from '@app/conversations';
import { conversationKeyId, isSealedValue, openValue, placeOf, sealValue } from '@app/sealing';

/** The PostgreSQL channel on which workers send all replicas what is presented right now: text as it is written, progress of tools. */
export const liveChannel = 'parley_live';

/**
 * PostgreSQL accepts payloads of less than 8,000 bytes; the other members of a delta, sealed with the text, are below the remainder, and so
 * is a whole report of progress.
 */
const textBytesMax = 5_200;
const idLength = 36;
const liveTypes: readonly LivePayload['type'][] = [textDelta.type, reasoningDelta.type, toolProgress.type];

/** A message of the channel, whose payload is still sealed: PostgreSQL keeps notifications in files. */
export interface SealedLive {
  readonly conversationId: ConversationId;
  readonly payload: Sealed;
}

/** The payload as JSON text, with what is needed to pass it on. */
export interface HeardLive {
  readonly type: LivePayload['type'];
  readonly subject: string;
  readonly payloadText: string;
}

/** The message or call that a live payload is about: when its durable event is delivered, the payload is out of date. */
export function subjectOf(payload: LivePayload): string {
  return 'messageId' in payload ? payload.messageId : payload.toolCallId;
}

/**
 * Returns the notifications that carry a payload, in order, the text of a delta cut between code points if it is too long for one.
 * @param name differs for each notification, because PostgreSQL delivers equal ones of a transaction only once
 * @param key of the conversation's words
 */
export function writeLive(
  conversationId: ConversationId,
  payload: LivePayload,
  name: () => string,
  key: Buffer,
): string[] {
  const keyId = conversationKeyId(conversationId);
  const parts: JsonObject[] =
    'text' in payload ? pieces(payload.text).map((text) => ({ ...payload, text })) : [{ ...payload }];
  return parts.map(
    (part) => `${conversationId} ${sealValue(key, { keyId, eventId: name(), path: 'live' }, part).sealed}`,
  );
}

/** Reads a notification if its conversation is wanted; null otherwise, and for anything but a sealed payload of it. */
export function readLive(notification: string, wanted: (conversationId: string) => boolean): SealedLive | null {
  const conversationId = parseUuid<ConversationId>(notification.slice(0, idLength));
  if (conversationId === null || !wanted(conversationId)) return null;
  // Any user of the database may notify of something else.
  const payload: unknown = { sealed: notification.slice(idLength + 1) };
  const isOwn = isSealedValue(payload) && placeOf(payload).keyId === conversationKeyId(conversationId);
  return isOwn ? { conversationId, payload } : null;
}

/** Opens a payload; null for one that does not open, and for anything but a live payload. */
export function openLive({ payload: sealed }: SealedLive, key: Buffer): HeardLive | null {
  const payload = openedOrNull(key, sealed);
  if (!isJsonObject(payload)) return null;
  const type = liveTypes.find((one) => one === payload['type']);
  const subject = payload[type === toolProgress.type ? 'toolCallId' : 'messageId'];
  if (type === undefined || typeof subject !== 'string') return null;
  return { type, subject, payloadText: JSON.stringify(payload) };
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
