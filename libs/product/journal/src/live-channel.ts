import { isJsonObject, parsedJson, parseUuid, type ConversationId } from '@app/kernel';
import { reasoningDelta, textDelta, type LiveDelta } from '@app/conversations';

/** The PostgreSQL channel on which workers send all replicas the text that is being written right now. */
export const liveChannel = 'parley_live';

/** PostgreSQL accepts payloads of less than 8,000 bytes; the other members of a delta are far below the remainder. */
const textBytesMax = 7_000;
const idLength = 36;
const liveTypes: readonly LiveDelta['type'][] = [textDelta.type, reasoningDelta.type];

/** A message of the channel: the delta as JSON text, with what is needed to pass it on. */
export interface HeardDelta {
  readonly conversationId: ConversationId;
  readonly type: LiveDelta['type'];
  readonly messageId: string;
  readonly payloadText: string;
}

/**
 * Returns the payloads that carry a delta, in order, its text cut between code points if it is too long for one. `number` must differ
 * between the payloads of one transaction, because PostgreSQL delivers equal ones only once.
 */
export function writeDelta(conversationId: ConversationId, delta: LiveDelta, number: () => number): string[] {
  return pieces(delta.text).map((text) => `${conversationId} ${number()} ${JSON.stringify({ ...delta, text })}`);
}

/** Reads a payload of the channel if its conversation is wanted; null otherwise, and for anything but a delta. */
export function readDelta(payload: string, wanted: (conversationId: string) => boolean): HeardDelta | null {
  const conversationId = parseUuid<ConversationId>(payload.slice(0, idLength));
  if (conversationId === null || !wanted(conversationId)) return null;
  const payloadText = payload.slice(payload.indexOf(' ', idLength + 1) + 1);
  // Any user of the database may notify of something else.
  const delta = parsedJson(payloadText);
  if (!isJsonObject(delta) || typeof delta['messageId'] !== 'string') return null;
  const type = liveTypes.find((one) => one === delta['type']);
  if (type === undefined) return null;
  return { conversationId, type, messageId: delta['messageId'], payloadText: JSON.stringify(delta) };
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
