/**
 * Readiness after the start: `/readyz` reports an event store that accepts no appends, or a subscription that cannot continue, as long as
 * that is so.
 */
import { Client } from 'pg';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { operatorOf, type TestClient } from '@app/testing/client';
import { conversationOf, say } from '@app/testing/journeys';
import { until } from '@app/testing/until';
import { PartnerEndpoint, type Manner } from '@app/testing/webhooks';
import { refuseRows } from './refusing-table';

/** The lock of the process that writes the embedded event store (libs/stores/event-store-server/src/storage/session.ts). */
const writerLock = 0x7061_726c_6579;

let deployment: Deployment;
let user: TestClient;
let admin: Client;
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process', env: { LOG_LEVEL: 'silent' } });
  user = await deployment.newUser();
  admin = new Client({ connectionString: deployment.databaseUrl });
  admin.on('error', () => undefined); // the connection ends with the database, which may be removed first
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  await deployment.stop();
});

interface Readiness {
  readonly code: number;
  readonly status: string;
  readonly checks: Readonly<Record<string, string>>;
}

async function readiness(): Promise<Readiness> {
  const answer = await fetch(`${user.baseUrl}/readyz`);
  // Reason for the assertion: the declared shape of the body.
  return { code: answer.status, ...((await answer.json()) as Omit<Readiness, 'code'>) };
}

async function untilReady(): Promise<void> {
  await until('all to be ok', async () => {
    const { code, checks } = await readiness();
    return (code === 200 && Object.values(checks).every((state) => state === 'ok')) || null;
  });
}

test('an event store without its writer is away, though it can be read', async () => {
  await untilReady();
  // Another server is about to become the writer: it waits for the lock, and gets it once the session of the present one ends.
  const another = new Client({ connectionString: deployment.databaseUrl });
  another.on('error', () => undefined); // the connection ends with the database if the test fails
  await another.connect();
  const taken = another.query('SELECT pg_advisory_lock($1)', [writerLock]);
  await until('somebody who waits for the lock', async () => {
    const { rowCount } = await admin.query(`SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`);
    return (rowCount ?? 0) > 0 || null;
  });
  await admin.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE application_name = 'parley event store writer' AND datname = current_database()`,
  );
  await taken;
  const away = await until('the writer to be missed', async () => {
    const now = await readiness();
    return now.status === 'away' ? now : null;
  });
  expect(away).toMatchObject({ code: 503, checks: { database: 'ok', 'event store': 'away' } });
  expect((await user.get('/conversations')).status).toBe(200);
  await another.end();
  await untilReady();
});

test('a read model that cannot apply one event is degraded alone, by its name', async () => {
  const one = await deployment.newUser();
  const ofOne = { table: 'conversations', on: 'INSERT', when: `NEW.user_id = '${one.userId}'` } as const;
  const takeAgain = await refuseRows(admin, ofOne);
  expect((await one.post('/conversations', {})).status).toBe(201);
  const degraded = await until('the trouble', async () => {
    const now = await readiness();
    return now.status === 'degraded' && 'projection conversations' in now.checks ? now : null;
  });
  expect(degraded).toMatchObject({ code: 200, checks: { database: 'ok', 'projection conversations': 'degraded' } });
  const late = Object.entries(degraded.checks).filter(([, state]) => state !== 'ok');
  expect(late).toEqual([['projection conversations', 'degraded']]);
  await takeAgain();
  await untilReady();
  expect((await readiness()).checks).not.toHaveProperty('projection conversations');
});

test('an endpoint of a partner that fails, or was disabled for it, takes nobody out of service', async () => {
  const [failing, gone] = [await new PartnerEndpoint().listen(), await new PartnerEndpoint().listen()];
  const operator = await operatorOf(deployment, ['webhooks'], { subject: 'ada' });
  const told = async (partner: PartnerEndpoint, manner: Manner) => {
    partner.manner = () => manner;
    const asked = { url: partner.url, description: 'Acme', reason: 'a test' };
    const { body } = await operator.post<{ secret: string; endpointId: string }>('/webhook-endpoints', asked);
    partner.secret = body.secret;
    return async () => (await operator.get(`/webhook-endpoints/${body.endpointId}`)).body;
  };
  const [shownFailing, shownGone] = [await told(failing, 'fail'), await told(gone, 'gone')];
  expect(await say(user, await conversationOf(user))).toMatchObject({ status: 'completed' });
  await until('the failures', async () => {
    const [one, other] = [await shownFailing(), await shownGone()];
    return (one['failingSince'] !== null && other['disabledBecause'] === 'gone') || null;
  });
  const { code, status, checks } = await readiness();
  expect([code, status]).toEqual([200, 'ok']);
  expect(Object.entries(checks).filter(([name, state]) => state !== 'ok' || /webhook|endpoint/.test(name))).toEqual([]);
  await Promise.all([failing.leave(), gone.leave()]);
});
