import { sha256Hex } from '@app/canonical';
import type { StoredEvent } from '@app/event-store';
import { isJsonObject, pointerTo, type JsonObject, type JsonValue } from '@app/kernel';
import { entryBytes, fromBase64, textOf, toBase64, type LogEntry } from '@app/transparency';
import { parseExactJson } from './receipt-json';
import type { ReceiptProblem } from './receipt-report';
import { problemOf } from './receipt-rules';
import type { ReceiptEvent } from './receipt.schema';

/** An event with its stored bytes. */
export interface EventBytes {
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

/** Returns the event as a receipt contains it. */
export function receiptEvent(event: EventBytes): ReceiptEvent {
  const { stream, revision, id, type, data, metadata } = event;
  return { stream, revision, id, type, data: toBase64(data), metadata: toBase64(metadata), ...hashesOf(event) };
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

/** Returns the bytes of an event in a receipt; null if `data` or `metadata` is not base64. */
function bytesIn({ stream, revision, id, type, ...encoded }: ReceiptEvent): EventBytes | null {
  const [data, metadata] = [fromBase64(encoded.data), fromBase64(encoded.metadata)];
  return data === null || metadata === null ? null : { stream, revision, id, type, data, metadata };
}

/**
 * Returns the event as other readers of the store get it. Its position is unknown; receipts have their events in an order of their own.
 * @throws TypeError for bytes that are no JSON objects
 */
export function storedEventOf({ stream, revision, id, type, data, metadata }: EventBytes, index: number): StoredEvent {
  const [payload, beside] = [jsonIn(data), jsonIn(metadata)];
  if (payload === null || beside === null) throw new TypeError(`event ${revision} of ${stream} is no JSON`);
  // Reason for the assertion: its decoder reads only members of the metadata that the product wrote.
  const written = beside as unknown as StoredEvent['metadata'];
  return { stream, revision, position: index + 1, id, type, payload, metadata: written };
}

/** Parses the bytes as a JSON object; null for anything else, and for one that parsers read differently. */
export function jsonIn(bytes: Uint8Array): JsonObject | null {
  const read = readJsonObject(bytes);
  return typeof read === 'string' ? null : read;
}

/** As `jsonIn`, but returns the reason in place of null. */
function readJsonObject(bytes: Uint8Array): JsonObject | string {
  try {
    const value = parseExactJson(textOf(bytes) ?? '');
    return isJsonObject(value) ? value : 'is not a JSON object';
  } catch (error) {
    return error instanceof SyntaxError ? error.message : 'is not a JSON object';
  }
}

const textMembers = ['stream', 'id', 'type', 'data', 'metadata', 'dataSha256', 'metadataSha256', 'leafSha256'] as const;

/** Returns an event's bytes, and its problems. */
export function readEvent(item: JsonValue, index: number): { bytes: EventBytes | null; problems: ReceiptProblem[] } {
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

/** A claim that must hold, the member of the event that it concerns, and the message for the case that it does not hold. */
type Check = readonly [holds: boolean, member: string, message: string];

function contentChecks(bytes: EventBytes): Check[] {
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
  return textMembers.every((name) => typeof item[name] === 'string') && Number.isSafeInteger(item['revision']);
}
