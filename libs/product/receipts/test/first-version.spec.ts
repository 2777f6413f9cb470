import { fingerprintOf } from '@app/canonical';
import { approvalUpcasters, reviewedDocument } from '@app/consent';
import { conversationKind } from '@app/conversations';
import { automationKind } from '@app/automations';
import type { WithOpenWords } from '@app/kernel';
import { decodeEvent, upcast, type StoredEvent } from '@app/event-store';
import { operationKind } from '@app/wallets';
import { receiptOf, type Opening } from '../src/receipt';
import { verifyReceipt } from '../src/receipt-verifier';
import { opened } from './approval-facts';
import { bytesOf, canonicalIn, History, journeys, received } from './histories';

type Private = NonNullable<StoredEvent['metadata']['private']>;

/** An opening as an earlier version stored it, with its fingerprint; other events unchanged. */
function asStoredBy(version: 1 | 2, stored: StoredEvent): StoredEvent {
  if (stored.type !== 'approval.opened') return stored;
  const kind = [operationKind, automationKind].find(({ category }) => stored.stream.startsWith(category));
  const { event } = decodeEvent((kind ?? conversationKind) as typeof conversationKind, stored);
  // Reason for the assertion: the stored type was checked.
  const opening = event as unknown as WithOpenWords<Opening>;
  const fingerprint = fingerprintOf(reviewedDocument({ ...opening, fingerprintVersion: 1 }));
  const { v: _, private: secret, ...metadata } = stored.metadata;
  const { terms, fingerprintVersion: __, ...others } = secret as Private;
  const known = version === 1 ? { private: others } : { v: 2, private: { ...others, terms: terms ?? null } };
  return { ...stored, payload: { ...stored.payload, fingerprint }, metadata: { ...metadata, ...known } };
}

const beforeTerms = (stored: StoredEvent): StoredEvent => asStoredBy(1, stored);

describe('an approval of version 1', () => {
  const first = opened({ fingerprintVersion: 1 });
  const [stored] = History.begin().inConversation(first).events.map(beforeTerms);

  it.each([conversationKind, operationKind, automationKind])('has no terms in a stream $category', (kind) => {
    expect(stored?.metadata.v).toBeUndefined();
    expect(kind.upcasters).toMatchObject(approvalUpcasters);
    const { event } = decodeEvent(kind as typeof conversationKind, stored!);
    expect(event).toEqual({ ...first, terms: [] });
  });

  it('is in its journal what it was: terms are private', () => {
    expect(upcast(conversationKind, stored!)).toEqual(stored?.payload);
    const [now] = History.begin().inConversation(opened()).events;
    expect([now?.metadata.v, 'terms' in now!.payload]).toEqual([3, false]);
  });

  it('has receipts that hold, with and without the member', () => {
    const events = journeys.settled().events.map(beforeTerms);
    const receipt = received(events);
    expect(receiptOf(events.map(bytesOf), null).approval.terms).toEqual([]);
    expect(verifyReceipt(receipt).problems).toEqual([]);
    const { terms: _, ...approval } = receipt.approval;
    expect(verifyReceipt({ ...receipt, approval }).problems).toEqual([]);
    const present = received(journeys.settled().events);
    const { terms: __, ...without } = present.approval;
    expect(verifyReceipt({ ...present, approval: without }).problems).toMatchObject([
      { path: '/approval/terms', message: 'is missing' },
    ]);
  });
});

/** The event with another private member, if it is an opening. */
function altered(stored: StoredEvent, members: Private): StoredEvent {
  const changed = { ...stored.metadata, private: { ...stored.metadata.private, ...members } };
  return stored.type === 'approval.opened' ? { ...stored, metadata: changed } : stored;
}

describe('an approval of version 2, whose fingerprint does not cover what the user read', () => {
  const events = journeys.settled().events.map((stored) => asStoredBy(2, stored));

  it('has the fingerprint of version 1, and a receipt that holds', () => {
    const receipt = received(events);
    expect(receipt.approval.terms).toHaveLength(1);
    expect(JSON.parse(canonicalIn(receipt))).toMatchObject({ v: 1 });
    expect(receipt.review.fingerprint).toBe(receipt.approval.fingerprint);
    expect(verifyReceipt(receipt).problems).toEqual([]);
  });

  it('cannot say that it is one of now', () => {
    const claimed = events.map((stored) => {
      const { metadata } = altered(stored, { fingerprintVersion: 2 });
      return stored.type === 'approval.opened' ? { ...stored, metadata: { ...metadata, v: 3 } } : stored;
    });
    expect(verifyReceipt(received(claimed)).holds).toBe(false);
  });
});

describe('an approval of now', () => {
  const { events } = journeys.settled();

  it.each<[string, Private]>([
    ['summary', { summary: 'Withdraw 1 USDC to your account.' }],
    ['terms', { terms: [{ name: 'what', text: 'Nothing' }] }],
    ['terms that are missing', { terms: [] }],
    ['fingerprint version', { fingerprintVersion: 1 }],
  ])('whose %s was altered has a receipt that does not hold, whatever else was made to fit', (_, members) => {
    expect(verifyReceipt(received(events)).problems).toEqual([]);
    expect(verifyReceipt(received(events.map((stored) => altered(stored, members)))).problems).toMatchObject([
      { message: 'what was reviewed does not hash to the fingerprint' },
    ]);
  });
});
