/**
 * Reliability 5, over thousands of seeded schedules: a provider that accepts and times out, delivers twice, forgets,
 * refunds, rejects, refuses submissions that third parties execute later, and loses its sessions; workers that die
 * anywhere. Nothing is paid twice, and nothing that was paid is forgotten. A failing seed replays identically: SEED=123
 * npx jest test/simulation/settlement
 */
import { wrongsOf } from './settlement-audit';
import { SettlementSchedule } from './settlement-schedule';

const full = process.env['FIGURES'] === 'full';
const only = process.env['SEED'] === undefined ? null : Number(process.env['SEED']);
const SCHEDULES = full ? 10_000 : 200;
/** One of so many schedules is played a second time. */
const REPLAY_EVERY = full ? 20 : 10;
const TIMEOUT_MS = full ? 600_000 : 60_000;

async function played(seed: number): Promise<SettlementSchedule> {
  const schedule = new SettlementSchedule(seed);
  try {
    await schedule.play();
  } catch (error) {
    throw new Error(`seed ${seed}`, { cause: error });
  }
  return schedule;
}

const totals = new Map<string, number>();
function count(what: string, by = 1): void {
  totals.set(what, (totals.get(what) ?? 0) + by);
}

function countIn({ events, provider, state, counts }: SettlementSchedule): void {
  count(`operations ${state?.status ?? 'that never began'}`);
  if (state?.failure) count(`failed for ${state.failure.reason}`);
  for (const [what, times] of Object.entries({ ...provider.counts, ...counts })) count(what, times);
  count('effects', provider.taken.size);
  for (const event of events) {
    if (event.type === 'operation.unresolved') count('unresolved');
    if (event.type === 'submission.journaled' && event.submission.attempt > 1) count('new attempts');
  }
}

test(
  'nothing is paid twice and nothing is forgotten, whatever the provider does and wherever workers die',
  async () => {
    const seeds = only === null ? Array.from({ length: SCHEDULES }, (_, seed) => seed) : [only];
    const startedMs = performance.now();
    for (const seed of seeds) {
      const schedule = await played(seed);
      expect({ seed, wrongs: wrongsOf(schedule) }).toEqual({ seed, wrongs: [] });
      countIn(schedule);
      if (seed % REPLAY_EVERY === 0) expect((await played(seed)).trace).toBe(schedule.trace);
    }
    const tookMs = Math.round(performance.now() - startedMs);
    const figures = [...totals].sort(([one], [other]) => one.localeCompare(other));
    const line = figures.map(([what, times]) => `${what} ${times}`).join(', ');
    process.stdout.write(`settlement: ${seeds.length} schedules in ${tookMs} ms, 0 doubled, 0 forgotten; ${line}\n`);
  },
  TIMEOUT_MS,
);
