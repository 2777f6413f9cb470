import { approvalUpcasters } from '@app/consent';
import { conversationKind } from '@app/conversations';
import { automationKind } from '@app/automations';
import { decodeEvent, upcast, type StoredEvent } from '@app/event-store';
import { operationKind } from '@app/wallets';
import { receiptOf } from '../src/receipt';
import { verifyReceipt } from '../src/receipt-verifier';
import { opened } from './approval-facts';
import { bytesOf, History, journeys, received } from './histories';

/** An event as it was stored before approvals had terms. */
function beforeTerms(stored: StoredEvent): StoredEvent {
  const { v: _, private: secret, ...metadata } = stored.metadata;
  const { terms: __, ...others } = secret ?? {};
  return stored.type === 'approval.opened' ? { ...stored, metadata: { ...metadata, private: others } } : stored;
}

describe('an approval of version 1', () => {
  const [stored] = History.begin().inConversation(opened()).events.map(beforeTerms);

  it.each([conversationKind, operationKind, automationKind])('has no terms in a stream $category', (kind) => {
    expect(stored?.metadata.v).toBeUndefined();
    expect(kind.upcasters).toMatchObject(approvalUpcasters);
    const { event } = decodeEvent(kind as typeof conversationKind, stored!);
    expect(event).toEqual({ ...opened(), terms: [] });
  });

  it('is in its journal what it was: terms are private', () => {
    expect(upcast(conversationKind, stored!)).toEqual(stored?.payload);
    const [now] = History.begin().inConversation(opened()).events;
    expect([now?.metadata.v, 'terms' in now!.payload]).toEqual([2, false]);
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
