/**
 * Random rules over random prices, balances, gaps and inputs: the live firings, by the real firing process and decider,
 * equal exactly those that a simulation of the same span over the same retained samples predicts. A failure prints its
 * seed and path; to play it again: SEED=… npx jest libs/product/automations/test/agreement
 */
import { openOr, type Instant, type OccurrenceTrigger } from '@app/kernel';
import fc from 'fast-check';
import type { InputRecorded } from '../src/inputs/input.stream';
import type { RecordedInput } from '../src/inputs/input.row';
import { looksBetween, simulateLook, unsimulated, type Simulated } from '../src/simulation/simulation';
import { LiveRule } from './live-rule';
import { after, lives, minutesLong, type Life } from './random-rules';

const full = process.env['FIGURES'] === 'full';
const SEEDS = full ? 10_000 : 150;
const TIMEOUT_MS = full ? 900_000 : 120_000;
const from = after(0);
const to = after(minutesLong * 60_000);

interface Fired {
  readonly at: Instant;
  readonly trigger: OccurrenceTrigger;
}

async function firedLive({ definition, history, inputs, lateMs }: Life): Promise<readonly Fired[]> {
  let handled = 0;
  const rule = new LiveRule(definition, from, history, () => lateMs[handled++ % lateMs.length] ?? 0);
  await rule.live(inputs, to);
  const accepted = new Set(
    rule.events.flatMap((event) => (event.type === 'occurrence.accepted' ? [event.occurrenceId] : [])),
  );
  const refused = new Set(
    rule.events.flatMap((event) => (event.type === 'occurrence.rejected' ? [event.occurrenceId] : [])),
  );
  return rule.events.flatMap((event) => {
    if (event.type !== 'occurrence.arose') return [];
    // An invocation always has an occurrence; beyond the limits it is rejected.
    if (event.trigger === 'invoke' && refused.has(event.occurrenceId)) return [];
    // Runs end at once, so every other occurrence is accepted.
    expect(accepted).toContain(event.occurrenceId);
    return [{ at: event.forAt, trigger: event.trigger }];
  });
}

async function* recorded(inputs: readonly InputRecorded[]): AsyncGenerator<RecordedInput> {
  for (const [index, { at, source, event: given }] of inputs.entries()) {
    const event = openOr(given, null);
    if (event === null) throw new Error('the event of a generated input is open');
    yield { at, position: index + 1, source, event };
  }
}

async function simulated({ definition, history, inputs }: Life): Promise<Simulated> {
  let result = unsimulated;
  for await (const look of looksBetween({ definition, epochAt: from }, from, to, recorded(inputs)))
    result = simulateLook(result, definition, history, look);
  return result;
}

const totals = new Map<string, number>();
function count(what: string, by: number): void {
  totals.set(what, (totals.get(what) ?? 0) + by);
}

test(
  'live firing and simulate agree exactly',
  async () => {
    await fc.assert(
      fc.asyncProperty(lives, async (life) => {
        const live = await firedLive(life);
        const { fired, evaluated, matched, unknown } = await simulated(life);
        const wouldFire = fired.filter(({ wouldBe }) => wouldBe === 'fired');
        expect(wouldFire.map(({ at, trigger }) => ({ at, trigger }))).toEqual(live);
        for (const [what, by] of Object.entries({ evaluated, matched, unknown, fired: live.length })) count(what, by);
        for (const { wouldBe } of fired) if (wouldBe !== 'fired') count(wouldBe, 1);
      }),
      { numRuns: SEEDS },
    );
    const line = [...totals].map(([what, times]) => `${what} ${times}`).join(', ');
    process.stdout.write(`agreement: ${SEEDS} seeds (10000 with FIGURES=full), 0 disagree; ${line}\n`);
    for (const what of ['fired', 'unknown', 'cooldown', 'limit']) expect(totals.get(what) ?? 0).toBeGreaterThan(0);
  },
  TIMEOUT_MS,
);
