import { sha256Hex } from '@app/canonical';
import type { StoredEvent } from '@app/event-store';
import { isJsonObject, type JsonObject } from '@app/kernel';
import { entryBytes, fromBase64, textOf, toBase64, type LogEntry } from '@app/transparency';
import { parseExactJson } from './receipt-json';
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
export function hashesOf({
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
export function bytesIn({ stream, revision, id, type, ...encoded }: ReceiptEvent): EventBytes | null {
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
  try {
    const value = parseExactJson(textOf(bytes) ?? '');
    return isJsonObject(value) ? value : null;
  } catch {
    return null; // not JSON, or ambiguous
  }
}
