/**
 * Issue 17: the process that makes an operator's change is killed between any two of its steps; the change is made
 * nevertheless, exactly once, and logged so.
 */
import type { StoredEvent } from '@app/event-store';
import { readAllEvents } from '@app/testing/event-log';
import { operatorOf, type OperatorClient } from '@app/testing/client';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { conversationOf, startLongRun, type Listed } from '@app/testing/journeys';
import { until } from '@app/testing/until';
import type { ProbePoint } from '@app/runtime';
import { keepAlive } from './keep-alive';
import type { KillOrders } from './kill-orders';
import { killInTurn } from './kill-rounds';
import { startKillable, type Killable } from './killable';
import { layoutsTried, spread } from './layouts';

const full = process.env['FIGURES'] === 'full';
const ROUNDS = Number(process.env['OPERATOR_KILL_ROUNDS'] ?? (full ? Infinity : 4));
const TIMEOUT_MS = full ? 3_600_000 : 300_000;
const points: readonly ProbePoint[] = ['append:before', 'append:after'];

function isOfOperators({ stream }: StoredEvent): boolean {
  return stream === 'operator-log' || stream === 'deployment-main';
}

/** The deviations in the log and in the changes that it led to, in words. */
function auditLog(events: readonly StoredEvent[]): string[] {
  const findings: string[] = [];
  const of = (type: string) => events.filter((event) => event.type === type);
  const completed = of('operator.completed').map(({ payload }) => payload['intentId']);
  for (const { payload } of of('operator.intended')) {
    const times = completed.filter((intentId) => intentId === payload['intentId']).length;
    if (times !== 1) findings.push(`${JSON.stringify(payload)} was completed ${times} times`);
  }
  const intents = of('operator.intended').map(({ payload }) => payload['intentId']);
  const changes = events.filter(({ stream }) => stream === 'deployment-main');
  const places = changes.map(({ metadata }) => intents.indexOf(metadata.$causationId));
  changes.forEach(({ type }, index) => {
    const place = places[index] ?? -1;
    if (place < 0) findings.push(`${type} follows from no intent`);
    if (place <= (places[index - 1] ?? -1)) findings.push(`${type} came twice, or before its turn`);
  });
  return findings;
}

describe.each(layoutsTried('apart, over two replicas'))('roles %s', (layout) => {
  let killable: Killable;
  let orders: KillOrders;
  let deployment: Deployment;
  let operators: readonly OperatorClient[];
  let turn = 0;
  beforeAll(async () => {
    killable = await startKillable(spread(layout, 'api'));
    ({ deployment, orders } = killable);
    const asked = deployment.baseUrls.map((_, replica) => operatorOf(deployment, ['deployment'], { replica }));
    operators = await Promise.all(asked);
  }, TIMEOUT_MS);
  afterAll(() => killable.stop(), TIMEOUT_MS);

  async function logged(): Promise<readonly StoredEvent[]> {
    const events = await readAllEvents(deployment.eventStoreUrl);
    return events.filter(isOfOperators);
  }

  async function allCompleted(): Promise<void> {
    await until('the completion of all intents', async () => {
      const events = await logged();
      const count = (type: string) => events.filter((event) => event.type === type).length;
      return count('operator.intended') === count('operator.completed') ? true : null;
    });
  }

  /** The request is not repeated: a logged change is made without that. */
  async function change(operator: OperatorClient, verb: 'pause' | 'resume'): Promise<void> {
    await operator.post(`/deployment/controls/runs/${verb}`, { reason: 'a test' }).catch(() => undefined); // killed: it may be logged or not
    await allCompleted();
  }

  /** Changes through one replica after the other, and through both in parallel. */
  function changes(): Promise<() => Promise<void>> {
    turn += 1;
    const [one, other] = [0, 1].map((next) => operators[(turn + next) % operators.length]!); // reason for the assertion: one for each replica
    return Promise.resolve(async () => {
      await change(one!, 'pause'); // reason for the assertions: two were asked for
      await Promise.all([change(one!, 'resume'), change(other!, 'pause')]);
      await change(other!, 'resume');
    });
  }

  test(
    'a change that was logged is made once, in its turn',
    async () => {
      const victims = deployment.apis;
      const rounds = { orders, victims, points, roundsMax: ROUNDS, full };
      const kills = await killInTurn(rounds, changes);
      await allCompleted();
      const events = await logged();
      expect(auditLog(events)).toEqual([]);
      // A signed checkpoint of the log, which is appended each minute, may be among the counted appends.
      expect((await orders.carriedOut()).length).toBeGreaterThanOrEqual(kills / 2);
    },
    TIMEOUT_MS,
  );
});

test(
  'a change whose api and then whose watchdog died is made once',
  async () => {
    const { deployment, orders, stop } = await startKillable({ mode: 'processes' });
    const operator = await operatorOf(deployment, ['deployment']);
    const dying = [...deployment.apis, ...deployment.workers];
    // The first append of the api is the intent, and that of the worker is the change.
    for (const one of dying) await orders.give(one.pid, { point: 'append:after', nth: 1 });
    const kept = dying.map(keepAlive);
    await expect(operator.post('/deployment/controls/runs/pause', { reason: 'a test' })).rejects.toThrow();
    const completed = await until('the completion', async () => {
      const events = (await readAllEvents(deployment.eventStoreUrl)).filter(isOfOperators);
      return events.some(({ type }) => type === 'operator.completed') ? events : null;
    });
    await Promise.all(kept.map((one) => one.leave()));
    expect(auditLog(completed)).toEqual([]);
    expect((await orders.carriedOut()).map((order) => order.split(' ')[0]).sort()).toEqual(['api', 'worker']);
    await stop();
  },
  TIMEOUT_MS,
);

/**
 * Each append of a resumption, killed before and after it: the intent, the event that decides it, and the completion.
 */
const resumeKills = [1, 2, 3]
  .flatMap((nth) => (['append:before', 'append:after'] as const).map((point) => ({ point, nth })))
  .filter(({ point }, index) => full || (index < 4 && (point === 'append:after' || index > 0)));

test(
  'a log that is held is resumed once, under one name, whoever dies on the way, and signs from then on',
  async () => {
    const { deployment, orders, stop } = await startKillable({ mode: 'processes' });
    const operator = await operatorOf(deployment, ['deployment', 'audit']);
    const [api] = deployment.apis;
    if (api === undefined) throw new Error('no api was started');
    const eventsOf = async (...types: readonly string[]) =>
      (await readAllEvents(deployment.eventStoreUrl)).filter(({ type }) => types.includes(type));
    const origins = new Set<unknown>();
    for (const [round, order] of resumeKills.entries()) {
      await operator.post('/audit/hold', { reason: 'a test' });
      await orders.give(api.pid, order);
      const kept = keepAlive(api);
      const asked = await operator.post('/audit/resume', { as: 'copy', reason: 'a test' }).catch(() => null); // killed
      await kept.leave();
      // If it was cut off before it was logged, the request is repeated.
      if (asked === null && (await eventsOf('log.resumed')).length === round)
        await operator.post('/audit/resume', { as: 'copy', reason: 'a test' });
      await until('the end of the hold', async () => {
        const [intended, completed] = [await eventsOf('operator.intended'), await eventsOf('operator.completed')];
        return intended.length === completed.length || null;
      });
      const resumed = await eventsOf('log.resumed');
      expect([order, resumed.length]).toEqual([order, round + 1]);
      origins.add(resumed.at(-1)?.payload['origin']);
    }
    expect(origins.size).toBe(resumeKills.length);
    const last = (await eventsOf('log.resumed')).at(-1)?.position ?? Infinity;
    await until('a checkpoint under the last name', async () => {
      const signed = await eventsOf('checkpoint.signed');
      return signed.some(({ position }) => position > last) || null;
    });
    expect((await orders.carriedOut()).length).toBeGreaterThanOrEqual(resumeKills.length / 2);
    await stop();
  },
  TIMEOUT_MS,
);

test(
  'a run whose worker died is stuck, as operators see it, until another one takes it',
  async () => {
    const deployment = await startDeployment({ mode: 'worker-apart' });
    const [worker] = deployment.workers;
    if (worker === undefined) throw new Error('no worker was started');
    const operator = await operatorOf(deployment, ['runs']);
    const user = await deployment.newUser();
    const runId = await startLongRun(user, await conversationOf(user));
    const listed = async (state: string) => {
      const { body } = await operator.get<Listed>(`/runs?state=${state}`);
      return body.data.some((run) => run['runId'] === runId);
    };
    expect([await listed('live'), await listed('stuck')]).toEqual([true, false]);
    await worker.kill('SIGKILL');
    await until('the run to be stuck', async () => ((await listed('stuck')) ? true : null));
    await worker.start();
    await until('the next claim', async () => ((await listed('stuck')) ? null : true));
    expect(await listed('live')).toBe(true);
    await deployment.stop();
  },
  TIMEOUT_MS,
);
