/**
 * Random conditions over random readings: the evaluator agrees with an oracle that tries every assignment of open
 * leaves; more knowledge never changes a settled verdict; the order of members is irrelevant. A failure prints its seed
 * and path; to play it again: SEED=… npx jest libs/product/automations/test/conditions
 */
import { read } from '@app/schema';
import fc from 'fast-check';
import type { RuleNode, UnresolvedCode } from '../src/condition/condition';
import { evaluate } from '../src/condition/condition-evaluator';
import { ConditionShape } from '../src/condition/condition.schema';
import { expectedOf, sourceCode } from './condition-oracle';
import { anyReadings, at, cases, freshAgeSeconds, readingsAged, readingsOf, type Case } from './random-conditions';

const full = process.env['FIGURES'] === 'full';
const CASES = full ? 100_000 : 2_000;
const TIMEOUT_MS = full ? 900_000 : 120_000;
const parameters = { numRuns: CASES };

const codes: readonly UnresolvedCode[] = [
  'missing_source' as const,
  'unavailable' as const,
  'gap' as const,
  'stale' as const,
  'future' as const,
  'missing_field' as const,
  'invalid_value' as const,
  'snapshot_skew' as const,
];
const totals = new Map<string, number>();
function count(what: string): void {
  totals.set(what, (totals.get(what) ?? 0) + 1);
}
afterAll(() => {
  const figures = [...totals].sort(([one], [other]) => one.localeCompare(other));
  const line = figures.map(([what, times]) => `${what} ${times}`).join(', ');
  process.stdout.write(`conditions: ${CASES} cases a property (100000 with FIGURES=full); ${line}\n`);
});

test(
  'an evaluation is what trying every way of settling the open leaves comes to, for every code',
  () => {
    fc.assert(
      fc.property(cases, ({ condition, readings }) => {
        const { verdict, reasons } = evaluate(condition, readings, at);
        expect({ verdict, reasons }).toEqual(expectedOf(condition, readings));
        count(`verdict ${verdict}`);
        for (const { code } of reasons) count(`reason ${code}`);
      }),
      parameters,
    );
    expect(codes.filter((code) => !totals.has(`reason ${code}`))).toEqual([]);
  },
  TIMEOUT_MS,
);

/**
 * A case, and the same one with its unreadable readings replaced by arbitrary ones: readable, or unreadable for another
 * reason.
 */
const learned = cases.chain(({ condition, readings }) => {
  const after = condition.bindings.map((binding) => {
    if (sourceCode(binding.name, condition, readings) === null) return fc.constant(readings[binding.name]);
    const fresh = readingsAged(binding, freshAgeSeconds);
    return fc.oneof({ weight: 3, arbitrary: fresh }, anyReadings(binding), fc.constant(readings[binding.name]));
  });
  return fc.tuple(...after).map((known) => ({
    condition,
    readings,
    later: readingsOf(condition.bindings, known),
  }));
});

test(
  'knowing more never changes a settled verdict',
  () => {
    fc.assert(
      fc.property(learned, ({ condition, readings, later }) => {
        const before = evaluate(condition, readings, at);
        const after = evaluate(condition, later, at);
        if (before.verdict === 'unknown') count(`learned: unknown became ${after.verdict}`);
        else expect(after.verdict).toBe(before.verdict);
        if (before.verdict !== 'unknown' && before.reasons.length > after.reasons.length)
          count('learned: stayed settled');
      }),
      parameters,
    );
  },
  TIMEOUT_MS,
);

test(
  'the order of members decides nothing, and reasons only change places',
  () => {
    const told = ({ condition, readings }: Case) => {
      const { verdict, reasons } = evaluate(condition, readings, at);
      return { verdict, reasons: reasons.map(({ code, binding }) => `${code} ${binding ?? ''}`).sort() };
    };
    fc.assert(
      fc.property(cases, fc.infiniteStream(fc.nat()), ({ condition, readings }, numbers) => {
        const other = { ...condition, rule: shuffled(condition.rule, () => numbers.next().value ?? 0) };
        expect(told({ condition: other, readings })).toEqual(told({ condition, readings }));
        const swapped = { ...condition, bindings: [...condition.bindings].reverse() };
        expect(evaluate(swapped, readings, at)).toEqual(evaluate(condition, readings, at));
      }),
      parameters,
    );
  },
  TIMEOUT_MS,
);

function shuffled(node: RuleNode, next: () => number): RuleNode {
  const mixed = (nodes: readonly RuleNode[]) =>
    nodes
      .map((child) => ({ child: shuffled(child, next), key: next() }))
      .sort((one, other) => one.key - other.key)
      .map(({ child }) => child);
  if ('all' in node) return { all: mixed(node.all) };
  if ('any' in node) return { any: mixed(node.any) };
  return 'not' in node ? { not: shuffled(node.not, next) } : node;
}

test(
  'what was read of JSON is what was written, and means the same again',
  () => {
    fc.assert(
      fc.property(cases, ({ condition, readings }) => {
        const found = read(ConditionShape, JSON.parse(JSON.stringify(condition)));
        expect(found).toMatchObject({ ok: true });
        const parsed = found.ok ? found.value : null;
        expect(JSON.stringify(parsed)).toBe(JSON.stringify(condition));
        expect(evaluate(parsed, readings, at)).toEqual(evaluate(condition, readings, at));
      }),
      { ...parameters, numRuns: CASES / 5 },
    );
  },
  TIMEOUT_MS,
);
