/**
 * Section 4: bounds bind what is done. Several runs use automations' authorities in parallel while others deposit, move
 * prices, pause and change the rule, and processes die between any two steps; for every kind of quantity and up to 16
 * actions. An oracle that shares no arithmetic with the product checks the provider's effects against what the user
 * read. A failing seed replays identically: SEED=123 npx jest test/simulation/bounds
 */
import { automationKind } from '@app/automations';
import { operationKind } from '@app/wallets';
import { BoundsSchedule } from './bounds-schedule';

const full = process.env['FIGURES'] === 'full';
const only = process.env['SEED'] === undefined ? null : Number(process.env['SEED']);
const SCHEDULES = full ? 10_000 : 150;
const TIMEOUT_MS = full ? 900_000 : 60_000;

const totals = new Map<string, number>();
function count(what: string, by = 1): void {
  totals.set(what, (totals.get(what) ?? 0) + by);
}

function countIn({ world, counts, streams, oracle }: BoundsSchedule): void {
  for (const [what, times] of Object.entries({ ...world.counts, ...counts })) count(what, times);
  count('effects', world.effects.size);
  for (const id of oracle.operations.keys()) {
    const state = streams.state(operationKind, id);
    count(`operations ${state?.status ?? 'none'}`);
    if (state?.failure) count(`failed for ${state.failure.reason}`);
  }
  for (const { type } of streams.events(automationKind, '0b7a3b7e-0000-7000-8000-0000000000aa'))
    if (type.startsWith('contract.use')) count(type);
}

/** Occurrences without which the schedules prove nothing. */
const happens = [
  'contract.used',
  'contract.use_raised',
  'contract.use_settled',
  'contract.use_returned',
  'failed for bounds_exceeded',
  'operations settled',
  'refunds',
  'partsReturned',
  'crashes',
  'pauses',
  'updates',
  'asked',
];

test(
  'what moves never exceeds what was read, and what is counted at the end is what moved',
  async () => {
    const seeds = only === null ? Array.from({ length: SCHEDULES }, (_, seed) => seed) : [only];
    const startedMs = performance.now();
    for (const seed of seeds) {
      const schedule = new BoundsSchedule(seed);
      await schedule.play().catch((error: unknown) => {
        throw new Error(`seed ${seed}`, { cause: error });
      });
      const wrongs = [...schedule.oracle.wrongs, ...schedule.miscounted()];
      expect({ seed, wrongs }).toEqual({ seed, wrongs: [] });
      countIn(schedule);
    }
    const tookMs = Math.round(performance.now() - startedMs);
    const figures = [...totals].sort(([one], [other]) => one.localeCompare(other));
    const line = figures.map(([what, times]) => `${what} ${times}`).join(', ');
    process.stdout.write(`bounds: ${seeds.length} schedules in ${tookMs} ms, nothing beyond what was read; ${line}\n`);
    if (only === null) expect(happens.filter((what) => !totals.has(what))).toEqual([]);
  },
  TIMEOUT_MS,
);
