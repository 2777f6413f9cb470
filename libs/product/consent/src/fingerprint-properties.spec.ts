import { fingerprintOf } from '@app/canonical';
import { asId, quoted, words, type ApprovalId, type UserId, type WalletId } from '@app/kernel';
import { instant } from '@app/testing/deciders';
import { contracts, jsonOf, otherThan, placesIn, replaced, valueAt } from '@app/testing/properties';
import fc from 'fast-check';
import { reviewedDocument, type Review } from './review';
import { termNames } from './terms';

const MUTATIONS = 10_000;
/** Each is changed in 50 places. */
const REVIEWS = 200;

describe('a fingerprint', () => {
  const id = fc.uuid({ version: 7 });
  const reviews: fc.Arbitrary<Review> = fc.record({
    approvalId: id.map((text) => asId<ApprovalId>(text)),
    kind: fc.constantFrom('agent_tool', 'withdrawal', 'automation_contract'),
    userId: id.map((text) => asId<UserId>(text)),
    walletId: fc.option(id.map((text) => asId<WalletId>(text))),
    tool: fc.constantFrom('intents_transfer', 'wallet_withdrawal'),
    input: fc.jsonValue({ maxDepth: 3 }).map(jsonOf),
    contract: fc.option(contracts),
    summary: fc.string({ unit: 'grapheme', maxLength: 80 }).map((text) => quoted(text)),
    terms: fc.array(fc.record({ name: fc.constantFrom(...termNames), text: fc.string().map((text) => quoted(text)) }), {
      maxLength: 4,
    }),
    fingerprintVersion: fc.constant(2 as const),
    expiresAt: fc
      .date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })
      .map((date) => instant(date.toISOString())),
  });
  const fingerprint = (review: Review) => fingerprintOf(reviewedDocument(review));

  it(`changes with each of ${MUTATIONS} changes of one member`, () => {
    const unchanged: unknown[] = [];
    for (const review of fc.sample(reviews, { seed: 5, numRuns: REVIEWS })) {
      const document = jsonOf(review);
      const places = placesIn(document).filter(([member]) => member !== 'fingerprintVersion');
      const original = fingerprint(review);
      for (let step = 0; step < MUTATIONS / REVIEWS; step += 1) {
        const place = places[(step * 7) % places.length]!;
        const changed = replaced(document, place, otherThan(valueAt(document, place), step));
        // Reason for the assertion: a review with one value changed, of another type maybe, is still hashed.
        if (fingerprint(changed as unknown as Review) === original) unchanged.push({ document, place, step });
      }
    }
    process.stdout.write(
      `fingerprints: ${MUTATIONS} one-member changes, ${unchanged.length} with the same fingerprint\n`,
    );
    expect(unchanged).toEqual([]);
  });

  it('depends on nothing that is not reviewed, nor on the order of members', () => {
    fc.assert(
      fc.property(reviews, (review) => {
        const backwards = Object.fromEntries(Object.entries({ ...review, status: 'pending' }).reverse());
        // Reason for the assertion: it has the members of a review and one more.
        expect(fingerprint(backwards as unknown as Review)).toBe(fingerprint(review));
        expect(fingerprint(review)).toMatch(/^sha256:[0-9a-f]{64}$/);
      }),
    );
  });

  it('of version 1 is what it was: of neither summary nor terms', () => {
    fc.assert(
      fc.property(reviews, (review) => {
        const first = { ...review, fingerprintVersion: 1 as const };
        const { fingerprintVersion: _, summary: __, terms: ___, ...executed } = review;
        expect(fingerprint(first)).toBe(fingerprintOf({ v: 1, ...executed }));
        expect(fingerprint({ ...first, summary: words`altered`, terms: [] })).toBe(fingerprint(first));
        expect(fingerprint({ ...review, summary: words`altered` })).not.toBe(fingerprint(review));
      }),
    );
  });
});
