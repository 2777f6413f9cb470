/** The table of receipts with sealed words, for the verifiers in TypeScript and Python. */
import { parseVerifierKey, verifierKeyText, type TrustPolicy, type VerifierKey } from '@app/transparency';
import type { JsonValue } from '@app/kernel';
import { alterations } from '@app/testing/properties';
import { installedWithinMs } from '@app/testing/programs';
import { verifyReceiptText } from '../src/receipt-verifier';
import type { ReceiptDemands, ReceiptReport } from '../src/receipt-report';
import { PythonVerifier, type PythonCase } from './python-verifier';
import { witness } from './proven';
import type { SealedReceipt } from './sealed-cases';
import { sealedReceipts } from './sealed-receipts';

const table = sealedReceipts();
const python = new PythonVerifier();
afterAll(() => python.remove());

function policyOf({ log }: SealedReceipt): TrustPolicy {
  // Reason for the assertion: it is a key.
  return { log: [parseVerifierKey(log.verifierKey) as VerifierKey], witnesses: [witness], needed: 1 };
}

const reportOf = (one: SealedReceipt, demands: ReceiptDemands = {}): ReceiptReport =>
  verifyReceiptText(one.text, policyOf(one), demands);
function caseOf({ name, text, log }: Omit<SealedReceipt, 'verdict'>, acceptErased: boolean): PythonCase {
  const witnesses = [verifierKeyText(witness)];
  return { kind: 'receipt', name, text, keys: [log.verifierKey], witnesses, acceptErased };
}

const namesOf = (some: readonly SealedReceipt[]): string[] => some.map(({ name }) => name);
const named = (name: string): SealedReceipt => table.find((one) => one.name === name)!;

it('names each case once, and has all verdicts', () => {
  expect(new Set(namesOf(table)).size).toBe(table.length);
  expect(table.length).toBeGreaterThan(90);
});

describe.each([false, true])('accepting erased words: %s', (acceptErased) => {
  const expected = namesOf(
    table.filter(({ verdict }) => verdict === 'holds' || (acceptErased && verdict === 'accepting')),
  );

  it('ours holds and refuses what it must', () => {
    expect(namesOf(table.filter((one) => reportOf(one, { acceptErased }).holds))).toEqual(expected);
  });

  it(
    'the one in Python agrees',
    async () => {
      expect(await python.held(table.map((one) => caseOf(one, acceptErased)))).toEqual(expected);
    },
    installedWithinMs,
  );
});

it(
  'whatever of a receipt is altered, missing or added is refused by both, whether or not erased words are accepted',
  async () => {
    const one = named('sealed words: denied');
    // Reason for the assertion: it is a receipt.
    const altered = [...alterations(JSON.parse(one.text) as JsonValue)].filter(
      ({ what }) => !what.startsWith('/proof'),
    );
    expect(altered.length).toBeGreaterThan(150);
    for (const acceptErased of [false, true]) {
      const cases = altered.map(({ what, value }) =>
        caseOf({ ...one, name: what, text: JSON.stringify(value) }, acceptErased),
      );
      const byOurs = cases.filter(({ text }) => verifyReceiptText(text, null, { acceptErased }).holds);
      // The first receipts had no member for a missing authority. Signatures take long, and are of the proof.
      expect(byOurs.map(({ name }) => name)).toEqual(['/authority gone']);
      expect(await python.held(cases)).toEqual(['/authority gone']);
    }
  },
  installedWithinMs,
);

it('says where words are missing, and that nothing but they is wrong', () => {
  for (const one of table.filter(({ verdict }) => verdict === 'accepting')) {
    const { erased, problems } = reportOf(one);
    expect([one.name, erased.length]).not.toEqual([one.name, 0]);
    expect([one.name, problems.map(({ path }) => path.split('/').at(-1))]).toEqual([
      one.name,
      erased.map(() => 'revealed'),
    ]);
    expect([one.name, problems.map(({ stream, revision }) => [stream, revision])]).toEqual([
      one.name,
      erased.map(({ stream, revision }) => [stream, revision]),
    ]);
  }
  for (const one of table.filter(({ verdict }) => verdict === 'holds'))
    expect([one.name, reportOf(one).erased, reportOf(one).unproven.filter(({ aspect }) => aspect === 'words')]).toEqual(
      [one.name, [], []],
    );
});

it('never says that it is proven what only erased words could prove', () => {
  for (const demands of [{}, { acceptErased: true }]) {
    const { proven, unproven } = reportOf(named('erased words: covered'), demands);
    const said = proven.map(({ aspect, text }) => `${aspect}: ${text}`).join('\n');
    expect(said).not.toMatch(/review|^authority|words shown/m);
    expect(said).toContain('conclusions: Apart from words that are not there');
    expect(unproven.map(({ aspect }) => aspect).includes('words')).toBe('acceptErased' in demands);
  }
  const unproven = reportOf(named('erased words: covered'), { acceptErased: true })
    .unproven.map(({ text }) => text)
    .join('\n');
  expect(unproven).toContain('That the fingerprint is that of what was reviewed');
  expect(unproven).toContain("That its user reviewed the automation's contract");
  expect(unproven).toContain('(input, summary, terms): they were erased, or are withheld.');
});

it('still proves the fingerprint where only the reason of a denial is withheld', () => {
  const { proven, unproven, erased } = reportOf(named('a reason that is withheld'), { acceptErased: true });
  expect(proven.find(({ aspect }) => aspect === 'history')?.text).toContain('what was reviewed was decided once');
  expect(unproven.map(({ text }) => text)).toEqual([expect.stringContaining('(denialReason)')]);
  expect(erased.map(({ members }) => members)).toEqual([['denialReason']]);
});

it('proves the words that are revealed', () => {
  const { proven } = reportOf(named('sealed words: covered'));
  expect(proven.map(({ aspect }) => aspect)).toEqual([
    'bytes',
    'conclusions',
    'history',
    'authority',
    'inclusion',
    'signature',
    'witnesses',
  ]);
  expect(proven[0]?.text).toContain('the words shown are those that are sealed in them');
});
