/**
 * Measures how late automations fire when very many are due within one minute, without conditions, with raised capacity
 * and budgets.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { StoredEvent } from '@app/event-store';
import { readAllEvents } from '@app/testing/event-log';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import { until } from '@app/testing/until';

const full = process.env['FIGURES'] === 'full';
const AUTOMATIONS = Number(process.env['LATENESS_AUTOMATIONS'] ?? (full ? 10_000 : 24));
/** All of them are due within this time, evenly spread. */
const WITHIN_MS = full ? 60_000 : 5_000;
const PER_USER = 100;
const CREATED_AT_ONCE = 8;
const TIMEOUT_MS = full ? 1_800_000 : 180_000;
/** They are created well before they are due; then the clock is moved to shortly before. */
const AHEAD_MS = 6 * 3_600_000;
const LEAD_MS = 3_000;
const unreached = '100000000';

let deployment: Deployment;
beforeAll(async () => {
  const budget = { BUDGET_DAY_CENTS: unreached, BUDGET_MONTH_CENTS: unreached };
  const env = { ...budget, EXECUTION_CAPACITY: String(2 * AUTOMATIONS), AUTOMATIONS_PER_USER: String(PER_USER) };
  deployment = await startDeployment({ mode: full ? 'processes' : 'in-process', env });
});
afterAll(async () => deployment.stop(), 60_000);

async function clock(): Promise<number> {
  return Date.parse((await deployment.sandbox<{ now: string }>('GET', 'clock')).now);
}

async function create(user: TestClient, dueAtMs: number): Promise<void> {
  const { status } = await user.post('/automations', {
    name: 'Say ok',
    prompt: 'repeat after me: ok',
    conversation: 'new',
    condition: null,
    wake: { kind: 'schedule', schedule: { kind: 'once', at: new Date(dueAtMs).toISOString() } },
    firing: { trigger: 'match', cooldownSeconds: 0, overlap: 'queue', retryForSeconds: 900 },
  });
  if (status !== 201) throw new Error(`answered ${status}`);
}

/** Creates all of them, due one after the other from the instant on. */
async function createAll(fromMs: number): Promise<void> {
  const users: TestClient[] = [];
  for (let made = 0; made < AUTOMATIONS; made += PER_USER) users.push(await deployment.newUser());
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let mine = next++; mine < AUTOMATIONS; mine = next++) {
      const user = users[mine % users.length];
      if (user !== undefined) await create(user, fromMs + Math.floor((mine * WITHIN_MS) / AUTOMATIONS));
    }
  };
  await Promise.all(Array.from({ length: CREATED_AT_ONCE }, lane));
}

/** The value that 99 of 100 do not exceed, and others, in milliseconds. */
function spread(values: readonly number[]): string {
  const sorted = [...values].sort((one, other) => one - other);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)];
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, at most ${at(1)} ms`;
}

/** An instant in an event, in milliseconds. */
const msIn = (value: unknown): number => (typeof value === 'string' ? Date.parse(value) : NaN);

const ofType = (events: readonly StoredEvent[], wanted: string) => events.filter(({ type }) => type === wanted);

test(
  'very many that are due within a minute fire in time',
  async () => {
    const fromMs = (await clock()) + AHEAD_MS;
    await createAll(fromMs);
    await deployment.sandbox('POST', 'clock', {
      advanceSeconds: Math.floor((fromMs - LEAD_MS - (await clock())) / 1000),
    });
    await sleep(LEAD_MS + WITHIN_MS); // until all are due by the clock, which runs on by itself
    const events = await until(
      'the start of every run',
      async () => {
        const all = await readAllEvents(deployment.eventStoreUrl);
        return ofType(all, 'run.started').length >= AUTOMATIONS ? all : null;
      },
      TIMEOUT_MS / 2,
    );
    const arisen = ofType(events, 'occurrence.arose');
    const dueAtMs = new Map(arisen.map(({ payload }) => [payload['occurrenceId'], msIn(payload['dueAt'])]));
    const lateMs = (type: string) =>
      ofType(events, type).map(({ payload }) => msIn(payload['at']) - (dueAtMs.get(payload['occurrenceId']) ?? NaN));
    const [arose, started] = [lateMs('occurrence.arose'), lateMs('run.started')];
    process.stdout.write(
      `firing lateness of ${AUTOMATIONS} (10000 with FIGURES=full) due within ${WITHIN_MS / 1000} s: occurrences ${spread(arose)}; runs ${spread(started)}\n`,
    );
    expect(dueAtMs.size).toBe(AUTOMATIONS);
    expect(started).toHaveLength(AUTOMATIONS);
    expect(Math.min(...arose)).toBeGreaterThanOrEqual(0);
  },
  TIMEOUT_MS,
);
