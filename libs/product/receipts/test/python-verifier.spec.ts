/**
 * The verifier in Python, written from docs/audit.md, on receipts of every kind: it accepts what ours accepts, and refuses altered ones.
 */
import type { JsonObject, JsonValue } from '@app/kernel';
import type { TestLog } from '@app/testing/logs';
import { installedWithinMs } from '@app/testing/programs';
import { alterations } from '@app/testing/properties';
import { parseVerifierKey, verifierKeyText, type TrustPolicy, type VerifierKey } from '@app/transparency';
import { verifyReceiptText } from '../src/receipt-verifier';
import { forgedAuthorities, heldAuthorities } from './forged-authorities';
import { forgedOperations, heldOperations } from './forged-operations';
import { covered, journeys, received, withoutWorth } from './histories';
import { oddEvents } from './odd-events';
import { PythonVerifier } from './python-verifier';
import { proven, witness } from './proven';
import { receiptTexts } from './receipt-texts';

type Name = keyof typeof journeys;
const names = Object.keys(journeys) as Name[];
const receipts = new Map(names.map((name) => [name, proven(received(journeys[name]().events))]));

const python = new PythonVerifier();
afterAll(() => python.remove());

const caseOf = (journey: Name, name: string, document: unknown) => ({
  kind: 'receipt',
  name,
  text: JSON.stringify(document),
  keys: [receipts.get(journey)!.log.verifierKey],
  witnesses: [verifierKeyText(witness)],
});

/** Demands the log and the witness, as the cases do. */
function policyOf({ verifierKey }: TestLog): TrustPolicy {
  // Reason for the assertion: it is a key.
  return { log: [parseVerifierKey(verifierKey) as VerifierKey], witnesses: [witness], needed: 1 };
}

it(
  'holds a receipt of each kind',
  async () => {
    expect(await python.held(names.map((name) => caseOf(name, name, receipts.get(name)!.receipt)))).toEqual(names);
  },
  installedWithinMs,
);

it(
  'refuses whatever of a receipt is altered, missing or added',
  async () => {
    const whole = JSON.parse(JSON.stringify(receipts.get('denied')!.receipt)) as JsonValue;
    const altered = [...alterations(whole)].map(({ value, what }) => caseOf('denied', what, value));
    expect(altered.length).toBeGreaterThan(100);
    // The first receipts had no member for a missing authority.
    expect(await python.held(altered)).toEqual(['/authority gone']);
  },
  installedWithinMs,
);

it(
  'refuses whatever of an authority is altered, missing or added, as ours does',
  async () => {
    const { receipt, log } = receipts.get('covered')!;
    const { authority, ...others } = JSON.parse(JSON.stringify(receipt)) as JsonObject;
    const below = [...alterations(authority ?? null, '/authority')].map(({ value, what }) =>
      caseOf('covered', what, { ...others, authority: value }),
    );
    expect(below.length).toBeGreaterThan(200);
    const cases = [...below, caseOf('covered', '/authority gone', others)];
    // Whether the events are proven is nothing that an authority changes: ours is asked for no signatures, which takes long.
    expect(verifyReceiptText(JSON.stringify(receipt), policyOf(log)).holds).toBe(true);
    expect(cases.filter(({ text }) => verifyReceiptText(text).holds)).toEqual([]);
    expect(await python.held(cases)).toEqual([]);
  },
  installedWithinMs,
);

it.each([
  ['authorities', heldAuthorities, forgedAuthorities],
  ['operations', heldOperations, forgedOperations],
])(
  'holds and refuses the same %s as ours',
  async (_, good, forged) => {
    const given = [...good, ...forged].map(({ name, history }) => {
      const { receipt, log } = proven(received(history.events));
      return { ...caseOf('covered', name, receipt), keys: [log.verifierKey] };
    });
    const expected = good.map(({ name }) => name);
    expect(given.filter(({ text }) => verifyReceiptText(text).holds).map(({ name }) => name)).toEqual(expected);
    expect(await python.held(given)).toEqual(expected);
  },
  installedWithinMs,
);

it.each([
  ['texts of receipts', receiptTexts],
  ['odd values in events', oddEvents],
])(
  'takes the same %s as ours',
  async (_, given) => {
    const texts = given();
    const expected = texts.filter(({ holds }) => holds).map(({ name }) => name);
    const byOurs = texts.filter(({ text, log }) => verifyReceiptText(text, policyOf(log)).holds);
    expect(byOurs.map(({ name }) => name)).toEqual(expected);
    const cases = texts.map(({ name, text, log }) => ({
      ...caseOf('denied', name, null),
      text,
      keys: [log.verifierKey],
    }));
    expect(await python.held(cases)).toEqual(expected);
  },
  installedWithinMs,
);

it(
  'refuses a receipt whose words are others than those that the fingerprint covers',
  async () => {
    const { receipt } = receipts.get('settled')!;
    const summary = { ...receipt, approval: { ...receipt.approval, summary: 'Another sentence' } };
    const terms = { ...receipt, approval: { ...receipt.approval, terms: [] } };
    const review = { ...receipt, review: { ...receipt.review, canonical: Buffer.from('{}').toString('base64') } };
    const cases = [summary, terms, review].map((one, nth) => caseOf('settled', `altered ${nth}`, one));
    expect(await python.held(cases)).toEqual([]);
  },
  installedWithinMs,
);

it(
  'names as not proven the worth that an earlier version did not record, as ours does',
  async () => {
    const said = async (events: ReturnType<typeof journeys.covered>['events']): Promise<string> => {
      const { receipt, log } = proven(received(events));
      return python.said(receipt, '--key', log.verifierKey);
    };
    const { events } = journeys.covered();
    const open = 'not proven  that what was sent was worth no more than one use allows';
    for (const version of [1, 2] as const) {
      const old = await said(events.map((stored) => withoutWorth(version, stored)));
      expect([old.startsWith('HOLDS: '), old.includes(open)]).toEqual([true, true]);
    }
    expect(await said(events)).not.toContain(open);
    expect(await said(events)).toContain('not proven  that earlier uses left room for this one');
    expect(await said(covered([]).events)).toContain('not proven  that a contract covered the call');
  },
  installedWithinMs,
);
