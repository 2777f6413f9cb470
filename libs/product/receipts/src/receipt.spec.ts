import { canonicalText, sha256Hex } from '@app/canonical';
import type { JsonValue } from '@app/kernel';
import { alterations } from '@app/testing/properties';
import { at, ids, operationId } from '../test/approval-facts';
import { canonicalIn, journeys, received } from '../test/histories';
import type { Receipt } from './receipt.schema';
import { verifyReceipt } from './receipt-verifier';

const settled = () => received(journeys.settled().events);

describe('a receipt', () => {
  it.each(Object.keys(journeys) as (keyof typeof journeys)[])(
    'of an approval that is %s proves what it says',
    (name) => {
      expect(verifyReceipt(received(journeys[name]().events)).problems).toEqual([]);
    },
  );

  it('holds the reviewed bytes, the decision, the operation and its settlement', () => {
    const receipt = settled();
    const reviewed = canonicalIn(receipt);
    expect(reviewed).toContain('"actions":[{"input":{"pinned":{"decimals":24,"tokenId":"nep141:wrap.near"}}');
    expect(receipt.review.fingerprint).toBe(`sha256:${sha256Hex(reviewed)}`);
    expect(receipt.approval).toMatchObject({ id: ids.approvalId, status: 'approved', operationId, decidedAt: at(60) });
    expect(receipt.decision).toEqual({
      stream: `conversation-${ids.conversationId}`,
      revision: 8,
      status: 'approved',
      decidedBy: 'user',
      actor: { kind: 'user', id: ids.userId, partnerKeyId: 'key-1' },
      at: at(60),
    });
    expect(receipt.operation).toMatchObject({ id: operationId, status: 'settled', settledAt: at(80) });
    expect(receipt.events.map(({ type }) => type)).toEqual([
      'approval.opened',
      'approval.decided',
      'operation.used',
      'submission.journaled',
      'submission.accepted',
      'action.settled',
      'operation.settled',
      'operation.submitted',
      'settlement.updated',
    ]);
    expect(receipt.proof).toBeNull();
  });

  it('has no decision while there is none', () => {
    expect(received(journeys.pending().events)).toMatchObject({ decision: null, operation: null });
    expect(received(journeys.expired().events)).toMatchObject({ decision: null, approval: { status: 'expired' } });
  });
});

describe('verifyReceipt', () => {
  it('refuses what is no receipt', () => {
    for (const nothing of [
      null,
      'text',
      7,
      [],
      {},
      { events: {} },
      { events: [] },
      { events: [null] },
      { events: [{}] },
    ]) {
      expect(verifyReceipt(nothing).problems).not.toEqual([]);
    }
  });

  it('sees every member that is altered, missing or added, and every item that is gone, doubled or moved', () => {
    const isNew = ofAKind();
    for (const name of Object.keys(journeys) as (keyof typeof journeys)[]) {
      const receipt = JSON.parse(JSON.stringify(received(journeys[name]().events))) as JsonValue;
      const tried = [...alterations(receipt)].filter(({ what }) => isNew(what));
      const unseen = tried.filter(({ value }) => verifyReceipt(value).holds);
      // The first receipts had no member for a missing authority; and the last copy in the conversation may be missing, because copies
      // follow later.
      const dated = name === 'covered' ? [] : ['/authority gone'];
      const toldLast = name === 'settled' ? ['/events/8 gone'] : name === 'covered' ? ['/events/11 gone'] : [];
      expect({ name, unseen: unseen.map(({ what }) => what) }).toEqual({ name, unseen: [...dated, ...toldLast] });
    }
  });

  it('sees any altered byte of the stored events; of those of the approval, whatever the hashes say then', () => {
    const receipt = settled();
    const altered = receipt.events.flatMap((event, index) => [
      ...flippedBytes(event.data).flatMap((data) => {
        // The hashes are corrected as well: a different document then follows from the events.
        const dataSha256 = sha256Hex(Buffer.from(data, 'base64'));
        const fitting = event.type.startsWith('approval.') ? [hashed({ ...event, data, dataSha256 })] : [];
        return [{ ...event, data }, ...fitting].map((forged) => withEvent(receipt, index, forged));
      }),
      ...flippedBytes(event.metadata).map((metadata) => withEvent(receipt, index, { ...event, metadata })),
    ]);
    expect(altered.length).toBeGreaterThan(300);
    expect(altered.filter((document) => verifyReceipt(document).holds)).toEqual([]);
  });
});

/**
 * Returns a test that each kind of changed value passes once: a member in any item of a list, with the type of its new value; and that all
 * other alterations pass. With FIGURES=full, every alteration passes.
 */
function ofAKind(): (what: string) => boolean {
  const seen = new Set<string>();
  return (what) => {
    if (!what.includes(' set to ') || process.env['FIGURES'] === 'full') return true;
    const kind = what.replace(/\/\d+/g, '/n').replace(/ set to ".*"$/s, ' set to a text');
    if (seen.has(kind)) return false;
    seen.add(kind);
    return true;
  };
}

function withEvent(receipt: Receipt, index: number, event: object): object {
  return { ...receipt, events: receipt.events.map((other, at) => (at === index ? event : other)) };
}

/** The same bytes with one bit changed, at every few places. */
function flippedBytes(base64: string): string[] {
  const bytes = Buffer.from(base64, 'base64');
  const places = Array.from({ length: Math.ceil(bytes.length / 11) }, (_, nth) => nth * 11);
  return places.map((place) =>
    Buffer.from(bytes.map((byte, at) => (at === place ? byte ^ 1 : byte))).toString('base64'),
  );
}

function hashed(event: Receipt['events'][number]): object {
  const { stream, revision, id, type, dataSha256, metadataSha256 } = event;
  return { ...event, leafSha256: sha256Hex(canonicalText({ stream, revision, id, type, dataSha256, metadataSha256 })) };
}
