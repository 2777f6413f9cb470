import { canonicalText, sha256Hex } from '@app/canonical';
import type { StoredEvent } from '@app/event-store';
import { isJsonObject, pointerTo, type JsonObject, type JsonValue } from '@app/kernel';
import { receiptOf } from './receipt';
import type { ReceiptEvent } from './receipt.schema';
import { historyProblems, type ReceiptProblem } from './receipt-history';

/** More than this says nothing new. */
const problemsMax = 50;

/**
 * Everything that does not hold in a receipt; nothing when it proves what it says. It needs the document and nothing else.
 *
 * Three things are shown, each on top of the one before: that the stored bytes hash to what is said of them; that approval, review,
 * decision and operation are exactly what those events come to; and that the events can be one history: what was reviewed hashes to
 * the fingerprint, that was decided once and in time, and nothing else was used, sent and told to the conversation.
 * Whether the events are in the log at all is for `proof` to show.
 */
export function verifyReceipt(document: unknown): ReceiptProblem[] {
  if (!isJsonObject(document)) return [{ path: '', message: 'is not a receipt' }];
  const { events } = document;
  if (!Array.isArray(events)) return [{ path: '/events', message: 'is not a list' }];
  // Reason for the assertion: TypeScript loses the items' type in `isArray` of a readonly array.
  const items = events as readonly JsonValue[];
  const broken = items.flatMap(eventProblems);
  if (broken.length > 0) return broken.slice(0, problemsMax);
  try {
    const stored = items.map(storedEvent);
    // Through JSON, as a client gets it: what is undefined is absent.
    const expected = JSON.parse(JSON.stringify(receiptOf(stored))) as JsonObject;
    return [...differences(asOfItsTime(expected, document), document, ''), ...historyProblems(stored)].slice(
      0,
      problemsMax,
    );
  } catch (error) {
    // The bytes are what their hashes say, and still no events of this product.
    const said = error instanceof Error ? error.message : 'unknown';
    return [{ path: '/events', message: `are not the events of an approval (${said})` }];
  }
}

/** Approvals that were opened before there were terms have none; receipts of that time do not say so. */
function asOfItsTime(expected: JsonObject, document: JsonObject): JsonObject {
  const [approval, given] = [expected['approval'], document['approval']];
  if (!isJsonObject(approval) || !isJsonObject(given) || 'terms' in given) return expected;
  const { terms, ...others } = approval;
  return Array.isArray(terms) && terms.length === 0 ? { ...expected, approval: others } : expected;
}

const textMembers = ['stream', 'id', 'type', 'data', 'metadata', 'dataSha256', 'metadataSha256', 'leafSha256'] as const;

function eventProblems(item: JsonValue, index: number): ReceiptProblem[] {
  const path = pointerTo('events', index);
  if (!isReceiptEvent(item)) return [{ path, message: 'is not an event with its bytes and hashes' }];
  const { stream, revision, id, type, dataSha256, metadataSha256 } = item;
  const leaf = sha256Hex(canonicalText({ stream, revision, id, type, dataSha256, metadataSha256 }));
  const data = parseBase64Json(item.data);
  const checks: readonly (readonly [boolean, string, string])[] = [
    [sha256Hex(bytesOf(item.data)) === dataSha256, 'dataSha256', 'is not the hash of the data'],
    [sha256Hex(bytesOf(item.metadata)) === metadataSha256, 'metadataSha256', 'is not the hash of the metadata'],
    [leaf === item.leafSha256, 'leafSha256', 'is not the hash of the event'],
    [isJsonObject(data) && data['type'] === type, 'type', "is not the data's"],
    [isJsonObject(parseBase64Json(item.metadata)), 'metadata', 'is not a JSON object'],
  ];
  return checks.flatMap(([holds, member, message]) => (holds ? [] : [{ path: `${path}/${member}`, message }]));
}

function isReceiptEvent(item: JsonValue): item is ReceiptEvent & { readonly [member: string]: JsonValue } {
  if (!isJsonObject(item)) return false;
  return textMembers.every((name) => typeof item[name] === 'string') && Number.isSafeInteger(item['revision']);
}

/** The event as the store gave it back. Its position is not known; the receipt has them in order. */
function storedEvent(item: JsonValue, index: number): StoredEvent {
  // Reason for the assertion: `eventProblems` has found none in it.
  const { stream, revision, id, type, data, metadata } = item as unknown as ReceiptEvent;
  // Reason for the assertion: nor in its bytes, which are objects.
  const [payload, beside] = [parseBase64Json(data), parseBase64Json(metadata)] as [
    StoredEvent['payload'],
    StoredEvent['metadata'],
  ];
  return { stream, revision, position: index + 1, id, type, payload, metadata: beside };
}

function bytesOf(base64: string): Buffer {
  return Buffer.from(base64, 'base64');
}

function parseBase64Json(base64: string): unknown {
  try {
    return JSON.parse(bytesOf(base64).toString('utf8'));
  } catch {
    // No JSON: the caller says so.
    return undefined;
  }
}

/** Where a document is wrong. */
function differences(expected: JsonValue, found: JsonValue | undefined, path: string): ReceiptProblem[] {
  if (found === undefined) return [{ path, message: 'is missing' }];
  const [wanted, given] = [membersOf(expected), membersOf(found)];
  if (wanted === null || given === null || Array.isArray(expected) !== Array.isArray(found)) {
    return Object.is(expected, found) ? [] : [{ path, message: 'does not follow from the events' }];
  }
  const unknown = [...given.keys()].filter((name) => !wanted.has(name));
  return [
    ...unknown.map((name) => ({ path: path + pointerTo(name), message: 'does not belong here' })),
    ...[...wanted].flatMap(([name, value]) => differences(value, given.get(name), path + pointerTo(name))),
  ];
}

/** Members of an object, items of a list; null for any other value. */
function membersOf(value: JsonValue): Map<string, JsonValue> | null {
  return typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : null;
}
