/** Stored events with sealed words, and receipts that reveal them. */
import { createHmac, randomBytes } from 'node:crypto';
import { holderKinds } from '@app/approvals';
import { idInStream, personalPathsOf, sealEvent, type StoredEvent } from '@app/event-store';
import { isSealed, type JsonValue } from '@app/kernel';
import { revealValue, type KeyId } from '@app/sealing';
import { utf8 } from '@app/transparency';
import { receiptOf } from '../src/receipt';
import type { ReceiptSource } from '../src/parts/receipt-source';
import type { Receipt } from '../src/receipt.schema';
import { ids } from './approval-facts';
import { bytesOf } from './histories';

/** A revealed member, whose plaintext is a text here where it can be one. */
export interface Shown {
  readonly member: string;
  readonly value: string | Uint8Array;
  readonly key: Uint8Array;
}

/** An event as it is stored, and what a receipt reveals of it; null where it has no sealed members. */
export interface Sealing {
  readonly stored: StoredEvent;
  readonly shown: readonly Shown[] | null;
}

const conversationKey = { id: `c/${ids.conversationId}` as KeyId, key: Buffer.alloc(32, 1) };
const userKey = { id: `u/${ids.userId}` as KeyId, key: Buffer.alloc(32, 2) };

/** Seals the words of an event as the store does. */
export function sealed(stored: StoredEvent): Sealing {
  const kind = holderKinds.find((one) => idInStream(one, stored.stream) !== null);
  const { id: keyId, key } = stored.stream.startsWith('conversation-') ? conversationKey : userKey;
  const encoded = { ...stored, data: stored.payload, contentType: 'application/json' };
  // Reason for the assertions: it is an event that is encoded, and stays one.
  const given = encoded as unknown as Parameters<typeof sealEvent>[0];
  const { data, metadata } = sealEvent(given, personalPathsOf(kind?.members ?? {}, stored.type), keyId, key);
  const closed = { ...stored, payload: data, metadata } as unknown as StoredEvent;
  return { stored: closed, shown: closed.metadata.sealed === undefined ? null : shownOf(closed, key) };
}

function shownOf({ payload, metadata }: StoredEvent, key: Buffer): Shown[] {
  return (metadata.sealed?.members ?? []).map((member) => {
    const value = payload[member] ?? metadata.private?.[member];
    if (!isSealed(value)) throw new Error(`${member} is not sealed`);
    const { plain, commitKey } = revealValue(key, value);
    return { member, value: plain.toString('utf8'), key: commitKey };
  });
}

/** The event as a receipt has it. */
export function sourceOf({ stored, shown }: Sealing): ReceiptSource {
  const bytes = bytesOf(stored);
  if (shown === null) return bytes;
  return { ...bytes, revealed: shown.map(({ value, ...one }) => ({ ...one, value: bytesIn(value) })) };
}

/** The receipt of these events, as a client gets it; without a proof. */
export function receiptWith(events: readonly Sealing[]): Receipt {
  return JSON.parse(JSON.stringify(receiptOf(events.map(sourceOf), null))) as Receipt;
}

/** Nothing is revealed of these events any more. */
export function erasedWords(event: Sealing): Sealing {
  return { ...event, shown: event.shown && [] };
}

/** Places and bytes of a sealed text that no sealing writes. */
export interface Oddity {
  readonly version?: string;
  readonly keyId?: string;
  readonly eventId?: string;
  readonly path?: string;
  readonly bytes?: (text: string) => string;
}

/** The event with a member that is sealed with exactly this plaintext, or oddly, and revealed. */
export function resealed(event: Sealing, member: string, plain: string | Uint8Array, odd: Oddity = {}): Sealing {
  const { id, metadata } = event.stored;
  const key = randomBytes(32);
  const commitment = createHmac('sha256', key).update(bytesIn(plain)).digest();
  // No verifier decrypts: the nonce, the tag and the ciphertext may be anything.
  const base64 = Buffer.concat([randomBytes(28), commitment, randomBytes(Math.max(plain.length, 1))]).toString(
    'base64url',
  );
  const { version = '1', keyId = metadata.sealed?.key ?? userKey.id, eventId = id, path = member, bytes } = odd;
  const text = [version, keyId, eventId, path, bytes?.(base64) ?? base64].join(':');
  const shown = (event.shown ?? []).filter((one) => one.member !== member);
  return {
    stored: withMember(event.stored, member, { sealed: text }),
    shown: [...shown, { member, value: plain, key }],
  };
}

/** The event with another value of a member, public or private. */
export function withMember(stored: StoredEvent, member: string, value: JsonValue): StoredEvent {
  const { payload, metadata } = stored;
  if (member in payload) return { ...stored, payload: { ...payload, [member]: value } };
  return { ...stored, metadata: { ...metadata, private: { ...metadata.private, [member]: value } } };
}

function bytesIn(value: string | Uint8Array): Uint8Array {
  return typeof value === 'string' ? utf8(value) : value;
}

/** The plaintext as a text. */
export function textIn({ value }: Shown): string {
  return Buffer.from(bytesIn(value)).toString('utf8');
}
