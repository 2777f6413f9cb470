/**
 * Issue 40: the worker that erases a user is killed between any two of its steps. The erasure is completed nevertheless, each step is
 * recorded once, no word and no key is left, and every proof and every book holds.
 */
import { randomUUID } from 'node:crypto';
import { settled, unbalanced, unlikeAReplay, unlikeTheEvents } from '@app/testing/audits';
import { operatorOf, type OperatorClient } from '@app/testing/client';
import type { Deployment } from '@app/testing/deployment';
import { readAllEvents } from '@app/testing/event-log';
import { erase, newPerson, remainsOf, trusted, untilErasure, type Person } from '@app/testing/erasures';
import { verifyErasure } from '@app/transparency';
import { keepAlive } from './keep-alive';
import type { KillOrder, KillOrders } from './kill-orders';
import { disarmed, startKillable, type Killable } from './killable';

const full = process.env['FIGURES'] === 'full';
const TIMEOUT_MS = full ? 3_600_000 : 600_000;

/** Every step of an erasure that has nothing to wait for, and appends among them. */
const steps = Array.from({ length: 12 }, (_, n): KillOrder => ({ point: 'erasure:step', nth: n + 1 }));
const appends = [1, 2, 4, 6].flatMap((nth): KillOrder[] => [
  { point: 'append:before', nth },
  { point: 'append:after', nth },
]);
const sample = steps.filter((_, n) => n !== 6 && n !== 10);
const kills = full ? [...steps, ...appends] : sample;

let killable: Killable;
let deployment: Deployment;
let orders: KillOrders;
let operator: OperatorClient;
beforeAll(async () => {
  killable = await startKillable({ mode: 'worker-apart' });
  ({ deployment, orders } = killable);
  operator = await operatorOf(deployment, ['users', 'audit']);
}, TIMEOUT_MS);
afterAll(() => killable.stop(), TIMEOUT_MS);

const mark = () => `w${randomUUID().replaceAll('-', '')}`;

/** Returns everything that is wrong after one erasure, in words. */
async function findings(person: Person): Promise<string[]> {
  const { userId } = person.user;
  const events = await readAllEvents(deployment.eventStoreUrl);
  const typesIn = (stream: string) => events.filter((event) => event.stream === stream).map(({ type }) => type);
  const recorded = typesIn(`erasure-${userId}`).join(' ');
  const wanted = 'erasure.requested erasure.keys_destroyed erasure.purged erasure.completed';
  const ends = typesIn(`user-${userId}`).filter((type) => type !== 'user.provisioned');
  const { body } = await operator.get<{ note: string }>(`/users/${userId}/erase/certificate`);
  const { holds, problems } = verifyErasure(body.note, await trusted(deployment));
  return [
    ...(recorded === wanted ? [] : [`the erasure is ${recorded}`]),
    ...(ends.join(' ') === 'user.disabled user.erased' ? [] : [`the account is ${ends.join(' ')}`]),
    ...(holds ? [] : problems),
    ...(await remainsOf(deployment, person)),
  ];
}

test(
  'an erasure whose worker is killed is completed, once',
  async () => {
    const [worker] = deployment.workers;
    if (worker === undefined) throw new Error('no worker was started');
    const other = await newPerson(deployment, mark());
    // Its worker would be killed as well, and it would go on for long.
    expect((await other.user.post(`/agent-runs/${other.liveRunId}/abort`)).status).toBe(200);
    for (const order of kills) {
      const person = await newPerson(deployment, mark());
      await orders.arm(worker, order);
      const kept = keepAlive(worker);
      await erase(operator, person.user);
      await untilErasure(operator, person.user, 'completed');
      await kept.leave();
      await disarmed(killable);
      expect([order, await findings(person)]).toEqual([order, []]);
    }
    const killed = await orders.carriedOut();
    console.log(`killed: ${killed.join(', ')}`);
    const ofSteps = killed.filter((order) => order.includes('erasure:step'));
    expect(ofSteps).toHaveLength(kills.filter(({ point }) => point === 'erasure:step').length);
    const [talk = ''] = other.conversations;
    expect((await other.user.get(`/conversations/${talk}`)).body['title']).toBe(`${other.mark} talk`);
    const { events, left } = await settled(deployment.databaseUrl, deployment.eventStoreUrl);
    expect(left).toEqual([]);
    expect(await unlikeTheEvents(deployment.databaseUrl, deployment.eventStoreUrl)).toEqual([]);
    expect(await unbalanced(deployment.databaseUrl)).toEqual([]);
    expect(await unlikeAReplay(deployment.databaseUrl, events)).toEqual([]);
  },
  TIMEOUT_MS,
);
