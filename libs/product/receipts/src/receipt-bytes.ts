import { sha256Hex } from '@app/canonical';
import type { StoredEvent } from '@app/event-store';
import { isJsonList, isJsonObject, pointerTo, type JsonObject, type JsonValue } from '@app/kernel';
import { entryBytes, fromBase64, toBase64, type LogEntry } from '@app/transparency';
import { exactJsonIn } from './parts/receipt-json';
import { sealedChecks, withRevealed } from './receipt-members';
import type { ReceiptProblem } from './receipt-report';
import { problemOf } from './receipt-rules';
import type { Check, EventBytes, ReceiptSource, RevealedMember } from './parts/receipt-source';
import type { ReceiptEvent } from './receipt.schema';

/** Returns the event as a receipt contains it. */
export function receiptEvent(event: ReceiptSource): ReceiptEvent {
  const { stream, revision, id, type, data, metadata } = event;
  const revealed = event.revealed?.map(({ member, value, key }) => ({
    member,
    value: toBase64(value),
    key: toBase64(key),
  }));
  return {
    stream,
    revision,
    id,
    type,
    data: toBase64(data),
    metadata: toBase64(metadata),
    ...hashesOf(event),
    ...(revealed && { revealed }),
  };
}

/** Returns the hashes of the bytes, as a receipt states them. */
function hashesOf({
  stream,
  revision,
  id,
  type,
  data,
  metadata,
}: EventBytes): Pick<ReceiptEvent, 'dataSha256' | 'metadataSha256' | 'leafSha256'> {
  const hashes = { dataSha256: sha256Hex(data), metadataSha256: sha256Hex(metadata) };
  return { ...hashes, leafSha256: sha256Hex(entryBytes({ stream, revision, id, type, ...hashes })) };
}

/** Returns the entry of the log that the event must be. */
export function entryOf({ stream, revision, id, type, dataSha256, metadataSha256 }: ReceiptEvent): LogEntry {
  return { stream, revision, id, type, dataSha256, metadataSha256 };
}

/** Returns the bytes of an event in a receipt; null if `data`, `metadata` or a part of `revealed` is not base64. */
function bytesIn({ stream, revision, id, type, ...encoded }: ReceiptEvent): ReceiptSource | null {
  const [data, metadata] = [fromBase64(encoded.data), fromBase64(encoded.metadata)];
  const revealed = encoded.revealed?.map(revealedIn);
  if (data === null || metadata === null || revealed?.includes(null) === true) return null;
  const known = revealed?.filter((one) => one !== null);
  return { stream, revision, id, type, data, metadata, ...(known !== undefined && { revealed: known }) };
}

function revealedIn({ member, ...encoded }: NonNullable<ReceiptEvent['revealed']>[number]): RevealedMember | null {
  const [value, key] = [fromBase64(encoded.value), fromBase64(encoded.key)];
  return value === null || key === null ? null : { member, value, key };
}

/**
 * Returns the event as other readers of the store get it, with those of its words that are revealed. Its position is unknown; receipts have
 * their events in an order of their own.
 * @throws TypeError for bytes that are no JSON objects
 */
export function storedEventOf(event: ReceiptSource, index: number): StoredEvent {
  const { stream, revision, id, type, data, metadata, revealed = [] } = event;
  const [payload, beside] = [jsonIn(data), jsonIn(metadata)];
  if (payload === null || beside === null) throw new TypeError(`event ${revision} of ${stream} is no JSON`);
  // Reason for the assertion: its decoder reads only members of the metadata that the product wrote.
  const written = beside as unknown as StoredEvent['metadata'];
  return withRevealed({ stream, revision, position: index + 1, id, type, payload, metadata: written }, revealed);
}

/** Parses the bytes as a JSON object; null for anything else, and for one that parsers read differently. */
export function jsonIn(bytes: Uint8Array): JsonObject | null {
  const read = readJsonObject(bytes);
  return typeof read === 'string' ? null : read;
}

/** As `jsonIn`, but returns the reason in place of null. */
function readJsonObject(bytes: Uint8Array): JsonObject | string {
  const value = exactJsonIn(bytes);
  if (value instanceof SyntaxError) return value.message;
  return isJsonObject(value) ? value : 'is not a JSON object';
}

const textMembers = ['stream', 'id', 'type', 'data', 'metadata', 'dataSha256', 'metadataSha256', 'leafSha256'] as const;

/** Returns an event's bytes, and its problems. */
export function readEvent(item: JsonValue, index: number): { bytes: ReceiptSource | null; problems: ReceiptProblem[] } {
  const path = pointerTo('events', index);
  const bytes = isReceiptEvent(item) ? bytesIn(item) : null;
  if (!isReceiptEvent(item) || bytes === null)
    return { bytes: null, problems: [problemOf(path, 'is not an event with its bytes and hashes')] };
  const { stream, revision } = item;
  const hashed = hashesOf(bytes);
  const checks: readonly Check[] = [
    [hashed.dataSha256 === item.dataSha256, 'dataSha256', 'is not the hash of the data'],
    [hashed.metadataSha256 === item.metadataSha256, 'metadataSha256', 'is not the hash of the metadata'],
    [hashed.leafSha256 === item.leafSha256, 'leafSha256', 'is not the hash of the event'],
    ...contentChecks(bytes),
  ];
  const problems = checks.flatMap(([holds, member, message]) =>
    holds ? [] : [{ path: `${path}/${member}`, stream, revision, message }],
  );
  return { bytes, problems };
}

function contentChecks(bytes: ReceiptSource): Check[] {
  const [data, metadata] = [readJsonObject(bytes.data), readJsonObject(bytes.metadata)];
  const unread: Check[] = [
    ...(typeof data === 'string' ? [[false, 'data', data] as const] : []),
    ...(typeof metadata === 'string' ? [[false, 'metadata', metadata] as const] : []),
  ];
  if (typeof data === 'string' || typeof metadata === 'string') return unread;
  const secret = metadata['private'] ?? {};
  const isSecret = metadata['private'] !== null && isJsonObject(secret);
  return [
    [data['type'] === bytes.type, 'type', "is not the data's"],
    [typeof data['at'] === 'string', 'data', 'has no time'],
    [isVersion(metadata['v']), 'metadata', 'has a version that is no whole number from 1'],
    [isSecret, 'metadata', 'has private members that are no object'],
    [!isSecret || isApart(data, secret), 'metadata', 'has a private member that is in the data as well'],
    ...sealedChecks(bytes, { data, metadata }),
  ];
}

/** An absent version is the first. */
function isVersion(version: JsonValue | undefined): boolean {
  return version === undefined || (typeof version === 'number' && Number.isSafeInteger(version) && version >= 1);
}

function isApart(data: JsonObject, secret: JsonObject): boolean {
  return Object.keys(secret).every((name) => !Object.hasOwn(data, name));
}

function isReceiptEvent(item: JsonValue): item is ReceiptEvent & { readonly [member: string]: JsonValue } {
  if (!isJsonObject(item)) return false;
  const { revealed } = item;
  const isRevealed = revealed === undefined || (isJsonList(revealed) && revealed.every(isRevealedMember));
  const hasTexts = textMembers.every((name) => typeof item[name] === 'string');
  return hasTexts && isRevealed && Number.isSafeInteger(item['revision']);
}

function isRevealedMember(item: JsonValue): boolean {
  return isJsonObject(item) && ['member', 'value', 'key'].every((name) => typeof item[name] === 'string');
}
