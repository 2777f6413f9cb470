/**
 * Whatever endpoints and workers do, each endpoint gets each event at least once, with its id, in the order of its
 * conversation; the feed, whose readers are cut meanwhile, delivers each exactly once.
 */
import { randomInt } from 'node:crypto';
import { CommandBus } from '@nestjs/cqrs';
import { EventStore } from '@app/event-store';
import { asId, causeOfService, Clock, instantOf, type EndpointId } from '@app/kernel';
import type { ProbePoint } from '@app/runtime';
import { keysIn } from '@app/testing/audits';
import { FeedFollower } from '@app/testing/client';
import { ScriptedJournal } from '@app/testing/journeys';
import { until } from '@app/testing/until';
import { PartnerEndpoint } from '@app/testing/webhooks';
import { CreateEndpoint, EndpointSecrets } from '@app/webhooks';
import { Client } from 'pg';
import { v7 as uuidV7 } from 'uuid';
import { disarmed, startKillable, type Killable } from './killable';

const full = process.env['FIGURES'] === 'full';
/**
 * The number of failed requests, deaths of workers, endpoints that go away, and ends of all sessions with PostgreSQL.
 */
const TROUBLES = full ? 1_000 : 60;
const WITHIN_MS = full ? 3_600_000 : 300_000;
const points: readonly ProbePoint[] = ['webhooks:after-fan-out', 'webhooks:after-claim', 'webhooks:after-send'];
const endpointsCount = 3;
const journalsCount = 6;

let killable: Killable;
let database: Client;
let store: EventStore;
let keys: Awaited<ReturnType<typeof keysIn>>;
const partners: PartnerEndpoint[] = [];
const followers: FeedFollower[] = [];
beforeAll(async () => {
  killable = await startKillable({ mode: 'worker-apart', replicas: { worker: 2 } });
  database = new Client(killable.deployment.databaseUrl);
  database.on('error', () => undefined); // the database ends with the deployment
  await database.connect();
  keys = await keysIn(killable.deployment.databaseUrl);
  store = EventStore.connect(killable.deployment.eventStoreUrl, undefined, keys.ring);
  for (let n = 0; n < endpointsCount; n += 1) partners.push(await registered());
  const { baseUrls, partnerKey } = killable.deployment;
  for (const bytesMax of [() => Infinity, () => randomInt(1, 20_000)])
    followers.push(new FeedFollower(() => baseUrls[0] ?? '', partnerKey, bytesMax));
}, 300_000);
afterAll(async () => {
  for (const follower of followers) await follower.close();
  for (const partner of partners) await partner.leave();
  await store.dispose();
  await keys.close();
  await database.end();
  await killable.stop();
});

function product<Value>(token: abstract new (...given: never[]) => Value): Value {
  const [running] = killable.deployment.running;
  if (running === undefined) throw new Error('no api runs in this process');
  return running.app.get(token, { strict: false });
}

async function registered(): Promise<PartnerEndpoint> {
  const partner = await new PartnerEndpoint().listen();
  const endpointId = asId<EndpointId>(uuidV7());
  const { keyId, secret } = await product(EndpointSecrets).make(endpointId);
  partner.secret = secret;
  const settings = { url: partner.url, types: null, payload: 'thin', description: 'x' } as const;
  const [at, cause] = [instantOf(product(Clock).epochMs()), causeOfService('test', uuidV7())];
  const made = await product(CommandBus).execute(
    new CreateEndpoint({ endpointId, at, settings, keyId, reason: 'a test', cause }),
  );
  if (!made.ok) throw new Error(JSON.stringify(made.refusal));
  return partner;
}

/** The state of a generator of numbers from 0 up to a bound, the same in each run. */
let seed = 20_261_126;
function below(bound: number): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((seed / 2 ** 32) * bound);
}
const oneOf = <Value>(values: readonly Value[]): Value => values[below(values.length)]!; // none of the lists is empty

const troubles = { failed: 0, killed: 0, sessions: 0, away: 0 };
const total = (): number => Object.values(troubles).reduce((sum, count) => sum + count, 0);

/** From now on a share of the requests to this endpoint fails, in one way or another. */
function misbehave(partner: PartnerEndpoint, share: number, hangs: number): void {
  let mayHang = hangs;
  partner.manner = () => {
    if (below(100) >= share) return oneOf(['take', 'slow']);
    troubles.failed += 1;
    const manner = oneOf(['fail', 'close', 'cut', 'redirect', 'hang'] as const);
    if (manner !== 'hang') return manner;
    mayHang -= 1;
    return mayHang >= 0 ? 'hang' : 'close';
  };
}

const moveClock = (seconds: number) =>
  killable.deployment.sandbox('POST', 'clock', { advanceSeconds: seconds }).catch(() => undefined); // stores are down

const tellSome = async (journals: readonly ScriptedJournal[]): Promise<void> => {
  for (let n = 0; n < 4; n += 1) await oneOf(journals).tell(instantOf(product(Clock).epochMs()), 1 + below(3));
};

/** Kills a worker at one of the most harmful points, and starts another one. */
async function kill(point: ProbePoint, journals: readonly ScriptedJournal[]): Promise<void> {
  const { orders, deployment } = killable;
  const before = (await orders.carriedOut()).length;
  await orders.armAll(deployment.workers, { point, nth: 1 + below(3) });
  await until('a death', async () => {
    await tellSome(journals);
    return (await orders.carriedOut()).length > before || null;
  });
  await disarmed(killable);
  troubles.killed += (await orders.carriedOut()).length - before;
}

/** Ends all sessions with this database, as a restart of PostgreSQL does. */
async function endSessions(): Promise<void> {
  await database.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
  troubles.sessions += 1;
}

/** Causes one trouble, chosen by shares in percent. */
async function trouble(round: number, journals: readonly ScriptedJournal[]): Promise<void> {
  const dice = below(100);
  if (round < points.length || dice < 6) return kill(points[round] ?? oneOf(points), journals);
  if (round === points.length || dice < 9) return endSessions();
  const partner = oneOf(partners);
  if (dice < 20) {
    await partner.leave();
    await tellSome(journals);
    await moveClock(3_600);
    await partner.listen();
    troubles.away += 1;
  } else misbehave(partner, 20 + below(60), full ? 1 : 0);
}

it(
  `through ${TROUBLES} troubles of endpoints and of ourselves everything comes, in order`,
  async () => {
    const at = instantOf(product(Clock).epochMs());
    const journals = await Promise.all(Array.from({ length: journalsCount }, () => ScriptedJournal.begin(store, at)));
    for (let round = 0; total() < TROUBLES; round += 1) {
      await trouble(round, journals);
      await tellSome(journals);
      await moveClock(oneOf([10, 600, 7_200]));
    }
    for (const partner of partners) partner.manner = () => 'take';
    const ids = journals.flatMap((journal) => journal.ids);
    await until(
      () => `all of ${ids.length}: ${partners.map(({ taken }) => new Set(taken.map(({ id }) => id)).size).join(', ')}`,
      async () => {
        await moveClock(3_600);
        return partners.every(({ taken }) => new Set(taken.map(({ id }) => id)).size >= ids.length) || null;
      },
      WITHIN_MS / 2,
    );
    for (const partner of partners) {
      const first = [...new Set(partner.taken.map(({ id }) => id))];
      expect(new Set(first)).toEqual(new Set(ids));
      for (const journal of journals) expect(first.filter((id) => journal.ids.includes(id))).toEqual(journal.ids);
      expect(partner.unverified).toEqual([]);
    }
    for (const follower of followers) {
      const seen = () => follower.seen.map(({ id }) => id);
      await until('the whole feed', async () => new Set(seen()).size >= ids.length || null);
      expect(new Set(seen())).toEqual(new Set(ids));
      expect(seen()).toHaveLength(ids.length);
      for (const journal of journals) expect(seen().filter((id) => journal.ids.includes(id))).toEqual(journal.ids);
    }
    const twice = partners.map(({ taken }) => taken.length - ids.length).join(', ');
    process.stdout.write(
      `webhooks: ${total()} troubles (60 in npm test, 1,000 with FIGURES=full): ${JSON.stringify(troubles)}; ` +
        `${ids.length} events to ${endpointsCount} endpoints, in order; taken more than once: ${twice}; ` +
        `the feed: exactly once, over ${followers.map(({ connections }) => connections).join(' and ')} connections\n`,
    );
  },
  WITHIN_MS,
);
