/**
 * Issue 5, item 4: the worker is killed around firing and admission; every due time and every input leads to exactly
 * one run.
 */
import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import type { StoredEvent } from '@app/event-store';
import type { ProbePoint } from '@app/runtime';
import type { Deployment } from '@app/testing/deployment';
import { requestJson, type TestClient } from '@app/testing/client';
import { until } from '@app/testing/until';
import { auditJournal, settled, unlikeAReplay, openedEvents } from '@app/testing/audits';
import { answered } from '@app/testing/journeys';
import type { KillOrders } from './kill-orders';
import { killInTurn } from './kill-rounds';
import { startKillable, type Killable } from './killable';
import { layoutsTried, PatientClient, spread } from './layouts';

const full = process.env['FIGURES'] === 'full';
const ROUNDS = Number(process.env['AUTOMATION_KILL_ROUNDS'] ?? (full ? Infinity : 2));
const TIMEOUT_MS = full ? 3_600_000 : 300_000;
/** The minutes that one round advances the clock. The automation is due at each of them. */
const MINUTES = 3;
const SIGNALS = 3;
const points: readonly ProbePoint[] = ['append:before', 'append:after', 'projection:before-commit', 'model:after'];

interface Made {
  readonly id: string;
  readonly revision: string;
}

async function create(user: TestClient, wake: object, conversation: string): Promise<Made> {
  const firing = { trigger: 'match', cooldownSeconds: 0, overlap: 'queue', retryForSeconds: 3600 };
  const text = { name: 'Say ok', prompt: 'repeat after me: ok' };
  const definition = { ...text, conversation, wake, condition: null, firing };
  return (await answered(() => user.post<Made & Record<string, unknown>>('/automations', definition))).body;
}

async function untilIdle(user: TestClient, { id }: Made, count: number): Promise<void> {
  interface Listed {
    readonly data: readonly { readonly delivery: string; readonly runId: string | null }[];
  }
  await until(`${count} runs of ${id}`, async () => {
    const { body } = await answered(() => user.get<Listed>(`/automations/${id}/occurrences`));
    const runs = body.data.map(async ({ runId }) =>
      runId === null ? null : (await answered(() => user.get(`/agent-runs/${runId}`), { orStatus: 404 })).body,
    );
    const ended = (await Promise.all(runs)).filter((run) => run?.['status'] === 'completed');
    return ended.length >= count ? true : null;
  });
}

/** An instant recorded in an event, in milliseconds. */
const msIn = (value: unknown): number => (typeof value === 'string' ? Date.parse(value) : NaN);

/** The deviations among the occurrences and their runs, in words. */
function auditFiring(events: readonly StoredEvent[]): string[] {
  const findings: string[] = [];
  const of = (type: string, occurrenceId: unknown) =>
    events.filter((event) => event.type === type && event.payload['occurrenceId'] === occurrenceId);
  const arisen = events.filter(({ type }) => type === 'occurrence.arose');
  const seen = new Set<string>();
  for (const { stream, payload } of arisen) {
    const id = payload['occurrenceId'];
    const cause = `${stream} ${JSON.stringify(payload['dueAt'] ?? payload['inputId'])}`;
    if (seen.has(cause)) findings.push(`${cause} led to two occurrences`);
    seen.add(cause);
    for (const type of ['occurrence.arose', 'occurrence.accepted', 'occurrence.finished', 'automation.triggered']) {
      const count = of(type, id).length;
      if (count !== 1) findings.push(`${count} ${type} of ${JSON.stringify(id)}`);
    }
    const runs = of('run.started', id).map((run) => run.payload['runId']);
    if (runs.length !== 1) findings.push(`${runs.length} runs of ${JSON.stringify(id)}`);
  }
  const created = events.filter(({ type }) => type === 'automation.created');
  for (const { stream, payload } of created) {
    const own = arisen.filter((event) => event.stream === stream).map((event) => event.payload['dueAt']);
    if (own.every((dueAt) => dueAt === null)) continue;
    const sinceMs = own.map((dueAt) => msIn(dueAt) - msIn(payload['at']));
    const due = sinceMs.map((_, index) => (index + 1) * 60_000);
    if (sinceMs.join() !== due.join())
      findings.push(`${stream} was due at ${due.join()} and fired at ${sinceMs.join()}`);
  }
  return findings;
}

describe.each(layoutsTried('apart, over two replicas'))('roles %s', (layout) => {
  let killable: Killable;
  let orders: KillOrders;
  let deployment: Deployment;
  let turn = 0;
  beforeAll(async () => {
    killable = await startKillable(spread(layout, 'worker'));
    ({ deployment, orders } = killable);
  });
  afterAll(() => killable.stop());

  /** Moves the clock, and continues from where it is if a worker died in between. */
  async function advance(seconds: number): Promise<void> {
    const url = `${deployment.baseUrls[0]}/sandbox/v1/clock`;
    const read = async () => Date.parse((await answered(() => requestJson<{ now: string }>('GET', url))).body.now);
    const targetMs = (await read()) + seconds * 1000;
    for (let nowMs = await read(); nowMs < targetMs; nowMs = await read()) {
      await requestJson('POST', url, { advanceSeconds: Math.ceil((targetMs - nowMs) / 1000) }).catch(() => undefined); // killed: the loop continues
    }
  }

  /**
   * Creates a timed and a signalled automation. Returns a function that makes each fire as often as the constants say.
   */
  async function firing(): Promise<() => Promise<void>> {
    turn += 1;
    const user = PatientClient.of(deployment, await deployment.newUser(), turn);
    const timed = await create(user, { kind: 'schedule', schedule: { kind: 'every', seconds: 60 } }, 'new');
    const told = await create(user, { kind: 'event', types: ['any'] }, 'same');
    return async () => {
      const signals = Array.from({ length: SIGNALS }, () => ({
        revision: told.revision,
        idempotencyKey: randomUUID(),
      }));
      await Promise.all([
        advance(MINUTES * 60),
        ...signals.map((signal) => user.post(`/automations/${told.id}/signal`, signal)),
      ]);
      await untilIdle(user, timed, MINUTES);
      await untilIdle(user, told, SIGNALS);
      await user.request('DELETE', `/automations/${timed.id}`);
      await user.request('DELETE', `/automations/${told.id}`);
    };
  }

  test(
    'every due time and every input leads to one run, and to no other',
    async () => {
      const ordered = await killInTurn(
        { orders, victims: deployment.workers, points, roundsMax: ROUNDS, full },
        firing,
      );
      const { events, left } = await settled(deployment.databaseUrl, deployment.eventStoreUrl);
      const kills = await orders.carriedOut();
      const count = events.filter(({ type }) => type === 'occurrence.arose').length;
      const findings = auditFiring(events);
      process.stdout.write(
        `automation kills, roles ${layout}: ${kills.length} at ${[...new Set(kills)].join(', ')}; ${count} occurrences, ${findings.length} amiss\n`,
      );
      expect(findings).toEqual([]);
      expect(count).toBeGreaterThanOrEqual((ordered + 1) * (MINUTES + SIGNALS));
      const nothing = { lost: [], doubled: [], stuck: [], gaps: [], books: [], left: [] };
      expect({ ...auditJournal(await openedEvents(deployment.databaseUrl, events), [], []), left }).toEqual(nothing);
      expect(await unlikeAReplay(deployment.databaseUrl, events)).toEqual([]);
      // A busy worker commits fewer, larger batches, so not every order is reached; without any, nothing was tried.
      expect(kills.length).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );

  /** Moves the clock while no process handles what falls due, as time passes while the service is down. */
  async function passWithoutService(seconds: number): Promise<void> {
    const client = new Client({ connectionString: deployment.databaseUrl });
    await client.connect();
    await client.query(
      `WITH moved AS (
       UPDATE sandbox_state SET value = jsonb_build_object('offsetMs', (value->>'offsetMs')::bigint + $1)
       WHERE name = 'clock' RETURNING value->>'offsetMs' AS offset_ms)
     SELECT pg_notify('parley_clock', offset_ms) FROM moved`,
      [seconds * 1000],
    );
    await client.end();
  }

  test('what was due while the service was down fires once when it is back, unless that is more than an hour late', async () => {
    const user = await deployment.newUser();
    const { now } = await deployment.sandbox<{ now: string }>('GET', 'clock');
    const inMinutes = (minutes: number) => new Date(Date.parse(now) + minutes * 60_000).toISOString();
    const once = (minutes: number) => ({ kind: 'schedule', schedule: { kind: 'once', at: inMinutes(minutes) } });
    const tooLate = await create(user, once(50), 'new');
    const late = await create(user, once(70), 'new');
    const often = await create(user, { kind: 'schedule', schedule: { kind: 'every', seconds: 600 } }, 'new');
    await Promise.all(deployment.workers.map((worker) => worker.kill('SIGKILL')));
    await passWithoutService(2 * 3_600);
    await Promise.all(deployment.workers.map((worker) => worker.start()));
    const outcomeOf = async ({ id }: Made) =>
      until(`an outcome of ${id}`, async () => {
        const { body } = await answered(() =>
          user.get<{ data: { delivery: string }[] }>(`/automations/${id}/occurrences`),
        );
        const outcomes = body.data.map(({ delivery }) => delivery);
        return outcomes.length > 0 && !outcomes.includes('pending') ? outcomes : null;
      });
    expect(await outcomeOf(tooLate)).toEqual(['rejected']);
    expect(await outcomeOf(late)).toEqual(['accepted']);
    expect(await outcomeOf(often)).toEqual(['accepted']);
    await answered(() => user.request('DELETE', `/automations/${often.id}`));
  });
});
