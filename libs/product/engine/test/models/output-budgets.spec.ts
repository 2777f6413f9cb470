/** Whatever a model answers, a segment spends no more than it has reserved (docs/decisions/runs.md, "Headroom"). */
import { budgetDecider, Budgets, initialBudget, type BudgetCommand, type BudgetState } from '@app/budget';
import { Clock, asId, type Decimal, type UserId } from '@app/kernel';
import { readConfiguration, type ModelPrice } from '@app/settings';
import fc from 'fast-check';
import type { ClaimedRun } from '../../src/run/claimed-run';
import { dearestStepCost, stepCost } from '../../src/models/cost';
import { OutputCeiling, outputLimit } from '../../src/models/output-limit';
import { ProviderTrouble } from '../../src/models/provider';
import { SegmentAdmission } from '../../src/segments/segment-admission';

const histories = process.env['FIGURES'] === 'full' ? 20_000 : 300;

/** Up to 1,000 USD per million tokens, and down to less than any model costs. */
const price: fc.Arbitrary<Decimal> = fc
  .tuple(fc.bigInt({ min: 0n, max: 1_000_000_000n }), fc.integer({ min: 6, max: 12 }))
  .map(([unscaled, scale]) => ({ unscaled, scale }));
const prices: fc.Arbitrary<ModelPrice> = fc.record({
  inputUsdPerMillion: price,
  cachedInputUsdPerMillion: price,
  cacheWriteUsdPerMillion: price,
  outputUsdPerMillion: price,
});
/** A step: its prompt, the tokens that its provider counts beyond the estimate, the part of the prompt in its cache, earlier attempts. */
const step = fc.record({
  promptTokens: fc.integer({ min: 0, max: 200_000 }),
  beyondEstimate: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 50_000 })),
  cachedTenths: fc.integer({ min: 0, max: 10 }),
  writtenTenths: fc.integer({ min: 0, max: 10 }),
  price: prices,
  leftTokens: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 20_000 })),
});
const history = fc.record({
  steps: fc.array(step, { maxLength: 12 }),
  reservationCents: fc.integer({ min: 1, max: 100 }),
  capCents: fc.integer({ min: 1, max: 3_000 }),
  configured: fc.option(fc.integer({ min: 1, max: 100_000 }), { nil: undefined }),
});

/** The budget of one user in memory, decided by its own rules. */
class MemoryStreams {
  state: BudgetState = initialBudget;

  decide(_kind: unknown, _id: unknown, command: BudgetCommand) {
    const decision = budgetDecider.decide(command, this.state);
    if (!decision.accepted) return Promise.resolve({ ok: false, refusal: decision.refusal, state: this.state });
    this.state = decision.events.reduce((state, event) => budgetDecider.evolve(state, event), this.state);
    return Promise.resolve({ ok: true, value: { state: this.state, events: decision.events } });
  }
}

const run = { runKey: 'run', runId: 'run', segment: 1, userId: asId<UserId>('user') };
/** A fixed instant, at noon. */
class NoonClock extends Clock {
  override epochMs(): number {
    return Date.UTC(2026, 2, 1, 12);
  }
}

describe('a segment whose model always answers as much as it may', () => {
  it('spends no more than it holds, but for what its provider counts beyond the estimate of the prompt', async () => {
    let [admitted, answered] = [0, 0];
    await fc.assert(
      fc.asyncProperty(history, async ({ steps, reservationCents, capCents, configured }) => {
        const env = { RUN_RESERVATION_CENTS: `${reservationCents}`, BUDGET_DAY_CENTS: `${capCents}` };
        const streams = new MemoryStreams();
        // Reason for the assertions: the parts of the stores that raising a reservation uses.
        const budgets = new Budgets(streams as never, null as never, new NoonClock(), readConfiguration(env));
        const admission = new SegmentAdmission(budgets, null as never);
        const first = await budgets.reserve({ ...run, cause: null } as never, { checked: true });
        if (!first.ok) return;
        const reservation = { heldCents: first.value.heldCents };
        let [spent, unforeseen] = [0, 0];
        admitted += 1;
        for (const { price: paid, ...one } of steps) {
          const claimed = { run, cause: null, progress: { segmentCostMicroCents: spent } } as unknown as ClaimedRun;
          const left = usage(one.leftTokens, 0);
          const spending = {
            price: paid,
            allowance: admission.allowanceOf(claimed, reservation),
            ceiling: new OutputCeiling(configured),
            tokensMax: Infinity,
            paidMicroCents: stepCost(paid, left),
          };
          const limit = await outputLimit(spending, one.promptTokens).catch(outOfBudget);
          if (limit === 'out_of_budget') break;
          answered += 1;
          expect(limit ?? configured ?? 1).toBeLessThanOrEqual(configured ?? 32_768);
          const inputTokens = one.promptTokens + one.beyondEstimate;
          const cachedInputTokens = Math.floor((inputTokens * one.cachedTenths) / 10);
          const cacheWriteTokens = Math.floor(((inputTokens - cachedInputTokens) * one.writtenTenths) / 10);
          const output = limit ?? 1_000_000;
          spent +=
            stepCost(paid, left) +
            stepCost(paid, { ...usage(inputTokens, output), cachedInputTokens, cacheWriteTokens });
          unforeseen += dearestStepCost(paid, one.beyondEstimate, 0);
          expect(spent).toBeLessThanOrEqual(reservation.heldCents * 1_000_000 + unforeseen);
          expect(reservation.heldCents).toBeLessThanOrEqual(capCents);
        }
      }),
      { numRuns: histories },
    );
    // Guards against a property that is vacuously true.
    expect([admitted > histories / 2, answered > histories / 4]).toEqual([true, true]);
  });
});

function usage(inputTokens: number, outputTokens: number) {
  return { inputTokens, outputTokens, cachedInputTokens: 0, cacheWriteTokens: 0 };
}

function outOfBudget(error: unknown): 'out_of_budget' {
  if (error instanceof ProviderTrouble && error.trouble === 'out_of_budget') return error.trouble;
  throw error;
}
