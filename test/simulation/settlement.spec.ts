/**
 * Reliability 5: a provider that takes and times out, delivers twice, forgets, refunds, rejects and loses its sessions; workers
 * that die anywhere; over thousands of seeded schedules. Nothing is paid twice, and nothing that was paid is forgotten.
 * A failing seed plays the same again: SEED=123 npx jest test/simulation/settlement
 */
import type { OperationEvent } from '@app/wallets';
import { SettlementSchedule } from './settlement-schedule';

const full = process.env['FIGURES'] === 'full';
const only = process.env['SEED'] === undefined ? null : Number(process.env['SEED']);
const SCHEDULES = full ? 10_000 : 500;
/** Every so many are played once more. */
const REPLAY_EVERY = full ? 20 : 10;
const TIMEOUT_MS = full ? 600_000 : 60_000;

type EventOf<Type extends OperationEvent['type']> = Extract<OperationEvent, { readonly type: Type }>;

/** What is wrong with how a schedule ended. */
function wrongs({ events, provider, state, contract }: SettlementSchedule): string[] {
  const found: string[] = [];
  const all = <Type extends OperationEvent['type']>(type: Type): EventOf<Type>[] =>
    // Reason for the assertion: the filter does what the type says.
    events.filter((event) => event.type === type) as EventOf<Type>[];
  const taken = [...provider.taken.values()];
  const recorded = {
    settled: all('action.settled'),
    refunded: all('action.refunded'),
    failed: all('action.failed'),
  };
  if (state !== null && state.status !== 'settled' && state.status !== 'failed') found.push(`ended ${state.status}`);
  for (let index = 0; index < contract.actions.length; index += 1) {
    const effects = taken.filter((effect) => effect.index === index);
    if (effects.length > 1) found.push(`action ${index} was effected ${effects.length} times`);
    for (const kind of ['settled', 'refunded', 'failed'] as const) {
      const [effect] = effects.filter(({ outcome }) => outcome === kind);
      const told = recorded[kind].filter((event) => event.index === index).length;
      // An action can fail without an effect; else what was recorded is what was effected.
      if (effect !== undefined && told !== 1)
        found.push(`action ${index} was ${kind}, and that is recorded ${told} times`);
      if (effect === undefined && told > 0 && (kind !== 'failed' || effects.length > 0))
        found.push(`action ${index} is recorded as ${kind}, and was not`);
      const accepted = all('submission.accepted').filter((event) => event.index === index);
      if (effect !== undefined && kind !== 'failed' && accepted[0]?.providerReference !== effect.reference)
        found.push(`action ${index} has another reference than its effect`);
      if (accepted.length > 1) found.push(`action ${index} was accepted ${accepted.length} times`);
    }
  }
  for (const { index, takenAtMs } of taken) {
    const before = taken.find((effect) => effect.index === index - 1);
    if (index > 0 && (before?.outcome !== 'settled' || before.settlesAtMs > takenAtMs))
      found.push(`action ${index} did not wait for the one before`);
  }
  const ends = all('operation.settled').length + all('operation.failed').length;
  if (state !== null && ends !== 1) found.push(`ended ${ends} times`);
  if ((state?.status === 'settled') !== (recorded.settled.length === contract.actions.length && state !== null))
    found.push('settled is not what settled means');
  return found;
}

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
      expect({ seed, wrongs: wrongs(schedule) }).toEqual({ seed, wrongs: [] });
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
