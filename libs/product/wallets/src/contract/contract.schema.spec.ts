import { standalone } from '@app/http';
import { instantRule, type JsonObject, type JsonValue } from '@app/kernel';
import { read } from '@app/schema';
import { Ajv2020 } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { withoutAbsent } from '@app/testing/documents';
import { alterations, contractBounds, contracts } from '@app/testing/properties';
import { AutomationContractShape, ContractShape } from './contract.schema';

/** Number of contracts that are corrupted at every path; each has hundreds of paths. */
const SPOILT = process.env['FIGURES'] === 'full' ? 20 : 8;

/** Issues that the parser finds and JSON Schema cannot express: comparing two members, and calendar rules. */
const beyondSchemas: ReadonlySet<string> = new Set(['must be another token than the input', instantRule]);

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
const forms = [
  { name: 'Contract', bounds: 'forbidden', fits: fitsOf(standalone(ContractShape)) },
  { name: 'AutomationContract', bounds: 'required', fits: fitsOf(standalone(AutomationContractShape)) },
] as const;

function fitsOf(schema: JsonObject): (value: JsonValue) => boolean {
  const validates = ajv.compile(schema);
  return (value) => validates(withoutAbsent(value, schema));
}

const every = {
  Contract: contracts,
  AutomationContract: fc.tuple(contracts, contractBounds).map(([contract, bounds]) => ({ ...contract, bounds })),
};

describe.each(forms)('the schema of $name, beside the parser', ({ name, bounds, fits }) => {
  const jsonOf = (value: unknown) => JSON.parse(JSON.stringify(value)) as JsonValue;

  it('takes what the parser takes', () => {
    fc.assert(
      fc.property(every[name], (contract) => expect(verdictsOn(jsonOf(contract), bounds, fits)).toBe('both take it')),
    );
  });

  it('judges every small change of a contract as the parser does', () => {
    const verdicts = new Map<string, number>();
    const differing: unknown[] = [];
    for (const contract of fc.sample(every[name], { seed: 11, numRuns: SPOILT })) {
      for (const { what, value } of alterations(jsonOf(contract))) {
        const verdict = verdictsOn(value, bounds, fits);
        verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
        if (verdict === 'the parser alone takes it' || verdict === 'the schema alone takes it')
          differing.push([what, value]);
      }
    }
    process.stdout.write(
      `${name}: ${SPOILT} spoilt (20 with FIGURES=full), ${JSON.stringify(Object.fromEntries(verdicts))}\n`,
    );
    expect(differing.slice(0, 3)).toEqual([]);
    expect(verdicts.get('both take it')).toBeGreaterThan(100);
    expect(verdicts.get('both refuse it')).toBeGreaterThan(1_000);
  });
});

describe('what a value may be at its bounds', () => {
  const quantity = (value: object): JsonValue => ({
    type: 'ledger_intents_transfer',
    actions: [
      {
        kind: 'swap',
        input: { pinned: { tokenId: 'nep141:wrap.near', decimals: 24 } },
        output: { any: true },
        quantity: { ...value },
      },
    ],
  });
  const usd = [
    '0',
    '0.0',
    '0.00',
    '0.1',
    '0.10',
    '1.0',
    '1.00',
    '01',
    '1.',
    '.5',
    '1.5',
    '1.50',
    '9'.repeat(39),
    '9'.repeat(40),
  ];
  const fractions = [`0.${'0'.repeat(17)}1`, `0.${'0'.repeat(18)}1`, '-1', '1e3', ' 1', '1\n', ''];
  it.each([
    ...[...usd, ...fractions].map((value) => ({ kind: 'exact_input_value_usd', value })),
    ...['0', '1', '10000', '10001', '09', '9999', '', '1.0'].map((bps) => ({ kind: 'fraction_of_input', bps })),
    ...['0', '1', '9'.repeat(39), '9'.repeat(40), '01', '1\n'].map((amountRaw) => ({
      kind: 'exact_input_tokens',
      amountRaw,
    })),
    { kind: 'exact_output_tokens', amountRaw: '1' },
    { kind: 'all_of_input', amountRaw: '1' },
    { kind: 'none' },
  ])('%j', (value) => {
    expect(verdictsOn(quantity(value), 'forbidden', forms[0].fits)).toMatch(/^both/);
  });
});

it('leaves it to the parser that a swap is between two tokens', () => {
  const same = { pinned: { tokenId: 'nep141:wrap.near', decimals: 24 } };
  const swap = { kind: 'swap', input: same, output: same, quantity: { kind: 'all_of_input' } };
  const contract = { type: 'ledger_intents_transfer', actions: [swap] };
  expect(verdictsOn(contract, 'forbidden', forms[0].fits)).toBe('beyond a schema');
});

function verdictsOn(value: JsonValue, bounds: 'forbidden' | 'required', fits: (value: JsonValue) => boolean): string {
  const parsed = read(bounds === 'required' ? AutomationContractShape : ContractShape, value);
  const fit = fits(value);
  if (parsed.ok) return fit ? 'both take it' : 'the parser alone takes it';
  if (!fit) return 'both refuse it';
  const issues = parsed.refusal.kind === 'invalid_input' ? parsed.refusal.issues : [];
  const isBeyond = issues.length > 0 && issues.every(({ message }) => beyondSchemas.has(message));
  return isBeyond ? 'beyond a schema' : 'the schema alone takes it';
}
