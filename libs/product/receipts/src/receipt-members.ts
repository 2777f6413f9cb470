import { holderKinds } from '@app/approvals';
import { hmacSha256Hex } from '@app/canonical';
import { idInStream, type StoredEvent } from '@app/event-store';
import { erased, isJsonList, isJsonObject, personalPaths } from '@app/kernel';
import type { JsonObject, JsonValue, Marks } from '@app/kernel';
import { fromBase64 } from '@app/transparency';
import { exactJsonIn } from './parts/receipt-json';
import type { Check, ReceiptSource, RevealedMember } from './parts/receipt-source';

/** The bytes of a sealed value before its ciphertext: a nonce, a tag, and the commitment (libs/platform/sealing, `sealed-text.ts`). */
const [nonceBytes, tagBytes, commitmentBytes] = [12, 16, 32];
const headBytes = nonceBytes + tagBytes + commitmentBytes;
/** A key of HMAC-SHA256 that is shorter would be filled up with zeros, and then be several keys. */
const keyBytes = 32;

/** The parsed bytes of an event. */
interface Parts {
  readonly data: JsonObject;
  readonly metadata: JsonObject;
}

/**
 * Checks an event's sealed members, and what the receipt reveals of them: exactly the personal members of the event are sealed, each for
 * this very place, and each revealed value is the one that was sealed. It needs no key but those that are revealed.
 */
export function sealedChecks(event: ReceiptSource, { data, metadata }: Parts): Check[] {
  const { revealed } = event;
  const named = metadata['sealed'];
  if (named === undefined) return [[revealed === undefined, 'revealed', 'is of an event without sealed members']];
  const sealed = sealedIn(metadata);
  const personal = personalMembersOf(event, { data, metadata });
  if (sealed === null || personal.length === 0 || !isSame(sealed.members, personal))
    return [[false, 'metadata', 'does not name its personal members as the sealed ones']];
  const commitments = sealed.members.map((member) => {
    const value = data[member] ?? privateOf(metadata)[member];
    return [member, commitmentIn(value, [sealed.key, event.id, member])] as const;
  });
  const known = new Map(commitments);
  if (commitments.some(([, commitment]) => commitment === null))
    return [[false, 'metadata', 'names a member as sealed that is not, or is sealed for another place']];
  const once = new Set(revealed?.map(({ member }) => member));
  return [
    [revealed !== undefined, 'revealed', 'is missing'],
    [once.size === (revealed?.length ?? 0), 'revealed', 'has a member twice'],
    ...(revealed ?? []).flatMap((one, nth) => revealedChecks(one, known.get(one.member) ?? null, `revealed/${nth}`)),
  ];
}

function revealedChecks({ value, key }: RevealedMember, commitment: string | null, path: string): Check[] {
  if (commitment === null) return [[false, path, 'is no sealed member of the event']];
  if (key.length !== keyBytes || hmacSha256Hex(key, value) !== commitment)
    return [[false, path, 'is not what was sealed']];
  const read = exactJsonIn(value);
  return [[!(read instanceof SyntaxError), path, read instanceof SyntaxError ? read.message : '']];
}

/** The statement of metadata about sealed members; null if that is nothing, or not in the form that is known. */
function sealedIn(metadata: JsonObject): { readonly key: string; readonly members: readonly string[] } | null {
  const { sealed } = metadata;
  if (!isJsonObject(sealed) || Object.keys(sealed).sort().join() !== 'key,members') return null;
  const { key, members } = sealed;
  if (typeof key !== 'string' || !isJsonList(members)) return null;
  const names = members.filter((name) => typeof name === 'string');
  return names.length === members.length ? { key, members: names } : null;
}

/** The members of an event that have a person's words. */
function personalMembersOf({ stream, type }: ReceiptSource, { data, metadata }: Parts): readonly string[] {
  const kind = holderKinds.find((one) => idInStream(one, stream) !== null);
  if (kind === undefined) return [];
  const secret = privateOf(metadata);
  // Reason for the assertion: a kind has marks for each of its types.
  const marks = new Map(Object.entries(kind.members as Readonly<Record<string, Marks>>)).get(type) ?? {};
  return personalPaths(marks).filter((name) => Object.hasOwn(data, name) || Object.hasOwn(secret, name));
}

function privateOf({ private: secret }: JsonObject): JsonObject {
  return isJsonObject(secret) ? secret : {};
}

function isSame(names: readonly string[], others: readonly string[]): boolean {
  return names.length === others.length && others.every((name) => names.includes(name));
}

/**
 * Returns the commitment of a sealed value, in hex; null unless it is one for this place.
 * @param place the id of the key, of the event, and the member
 */
function commitmentIn(value: JsonValue | undefined, place: readonly string[]): string | null {
  if (!isJsonObject(value) || Object.keys(value).join() !== 'sealed' || typeof value['sealed'] !== 'string')
    return null;
  const parts = value['sealed'].split(':');
  const [version, keyId, eventId, path, text = ''] = parts;
  if (parts.length !== 5 || version !== '1' || [keyId, eventId, path].some((part, nth) => part !== place[nth]))
    return null;
  const bytes = fromBase64Url(text);
  if (bytes === null || bytes.length <= headBytes) return null;
  return [...bytes.subarray(nonceBytes + tagBytes, headBytes)]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}

/** Decodes base64url without padding (RFC 4648, section 5); null for any other text. */
function fromBase64Url(text: string): Uint8Array | null {
  if (!/^[A-Za-z0-9_-]+$/.test(text)) return null;
  const padding = '='.repeat((4 - (text.length % 4)) % 4);
  return fromBase64(text.replaceAll('-', '+').replaceAll('_', '/') + padding);
}

/**
 * Returns the event with its sealed members open, as far as they are revealed; the others are erased, and `metadata.sealed` still names them.
 * @param event whose `sealedChecks` hold
 */
export function withRevealed(event: StoredEvent, revealed: readonly RevealedMember[]): StoredEvent {
  const { sealed, ...metadata } = event.metadata;
  if (sealed === undefined) return event;
  const open = new Map(revealed.map(({ member, value }) => [member, exactJsonIn(value)]));
  const opened = (members: JsonObject): JsonObject => {
    const changed: (readonly [string, JsonValue])[] = sealed.members
      .filter((name) => Object.hasOwn(members, name))
      // Reason for the assertion: a revealed value is JSON, or its checks do not hold.
      .map((name) => [name, open.has(name) ? (open.get(name) as JsonValue) : erased]);
    return { ...members, ...Object.fromEntries(changed) };
  };
  const closed = sealed.members.filter((name) => !open.has(name));
  return {
    ...event,
    payload: opened(event.payload),
    metadata: {
      ...metadata,
      ...(metadata.private !== undefined && { private: opened(metadata.private) }),
      ...(closed.length > 0 && { sealed: { ...sealed, members: closed } }),
    },
  };
}

/** The members of an event whose words a receipt does not reveal: they are erased, or withheld. */
export function closedMembers({ metadata }: Pick<StoredEvent, 'metadata'>): readonly string[] {
  return metadata.sealed?.members ?? [];
}
