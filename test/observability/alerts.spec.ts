/** Each alert of docker/alerts.yaml fires for its cause, which is produced here, and ends with it, as seen by a real Prometheus. */
import { rm, statfs, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { connectEventStore } from '@app/event-store';
import { operatorOf, type TestClient } from '@app/testing/client';
import {
  confirm,
  conversationOf,
  defined,
  holdings,
  moveClock,
  newOwner,
  prepare,
  prompt,
  providerFault,
  say,
  start,
  untilEnded,
  untilOperation,
  usdc,
} from '@app/testing/journeys';
import { installedWithinMs } from '@app/testing/programs';
import { until } from '@app/testing/until';
import { PartnerEndpoint } from '@app/testing/webhooks';
import { expressionsIn, shippedDashboard } from './shipped-dashboard';
import { refuseRows } from './refusing-table';
import { alertsIn, shipped } from './shipped-prometheus';
import { parley } from '../deployment/cli';
import {
  again,
  capacity,
  keyOfLog,
  signal,
  startWatchedDeployment,
  type WatchedDeployment,
} from './watched-deployment';

jest.setTimeout(300_000);

let watched: WatchedDeployment;
let user: TestClient;
/** The alerts that have fired and ended here. */
const seen = new Set<string>();

beforeAll(async () => {
  watched = await startWatchedDeployment();
  user = await newOwner(watched.deployment);
}, installedWithinMs);
afterAll(() => watched.stop());

async function whileBroken(names: readonly string[], mend: () => Promise<unknown>): Promise<void> {
  await watched.whileBroken(names, mend);
  for (const name of names) seen.add(name);
}

/** An operator's session on the tests' own database or another one. */
async function connected(path?: string): Promise<Client> {
  const url = new URL(watched.deployment.databaseUrl);
  if (path !== undefined) url.pathname = path;
  const client = new Client({ connectionString: url.toString(), application_name: 'operator' });
  client.on('error', () => undefined); // the connection ends with the database if the test fails
  await client.connect();
  return client;
}

it('none fires while all is well', async () => {
  watched.models.says([{ text: ['Fine.'] }]);
  expect(await say(user, await conversationOf(user))).toMatchObject({ status: 'completed' });
  await until('three looks at every target', async () => {
    const looks = encodeURIComponent('sum(count_over_time(up[1m]) >= bool 3)');
    const found = await fetch(`${watched.prometheus.url}/api/v1/query?query=${looks}`);
    return (await found.text()).includes(`"${watched.deployment.managementPorts.length}"`) || null;
  });
  await until('no alert', async () => (await watched.prometheus.firing()).size === 0 || null);
});

it('a worker that hangs', async () => {
  const conversationId = await conversationOf(user);
  const at = new Date(Math.ceil((Date.now() + 3_000) / 1_000) * 1_000).toISOString();
  await defined(user, { wake: { kind: 'schedule', schedule: { kind: 'once', at } } });
  signal(watched.deployment.workers[0], 'SIGSTOP');
  const started = await start(user, conversationId);
  expect(started.status).toBe(202);
  const stopWriting = again(() => user.post('/conversations', {}), 1_000);
  const names = ['NoWorker', 'ProcessDown', 'ProjectorStopped', 'ReadsLate', 'RunsWait', 'TimersLate'];
  await whileBroken(
    names.map((name) => `Parley${name}`),
    async () => {
      await stopWriting();
      signal(watched.deployment.workers[0], 'SIGCONT');
      expect(await untilEnded(user, started.body.runId)).toMatchObject({ status: 'completed' });
    },
  );
});

it('an event that a read model cannot take in', async () => {
  const admin = await connected();
  const one = await watched.deployment.newUser();
  const ofOne = { table: 'conversations', on: 'INSERT', when: `NEW.user_id = '${one.userId}'` } as const;
  const takeAgain = await refuseRows(admin, ofOne);
  expect((await one.post('/conversations', {})).status).toBe(201);
  // The subscription continues by itself.
  await whileBroken(['ParleySubscriptionStuck'], takeAgain);
  await admin.end();
});

it('a stream that an administrator of the event store will have cut', async () => {
  const events = connectEventStore(watched.deployment.eventStoreUrl);
  const stream = `conversation-${await conversationOf(user)}`;
  await events.setStreamMetadata(stream, { truncateBefore: 1 });
  await whileBroken(['ParleyStreamDamaged'], () => events.setStreamMetadata(stream, {}));
  await events.dispose();
});

it('a session that holds the lock of a read model', async () => {
  const admin = await connected();
  await admin.query('BEGIN; LOCK TABLE conversations IN ACCESS EXCLUSIVE MODE');
  expect((await user.post('/conversations', {})).status).toBe(201);
  await whileBroken(['ParleyFollowerLate', 'ParleySubscriptionStuck'], () => admin.query('ROLLBACK'));
  await admin.end();
});

it('a session that holds the lock of the timers', async () => {
  const admin = await connected();
  await admin.query('BEGIN; LOCK TABLE timers IN ACCESS EXCLUSIVE MODE');
  await whileBroken(['ParleyWorkFails', 'ParleyFiguresMissing'], () => admin.query('ROLLBACK'));
  await admin.end();
});

it('a PostgreSQL that lets nobody in', async () => {
  const { pathname } = new URL(watched.deployment.databaseUrl);
  const elsewhere = await connected('/postgres');
  const allow = (yes: boolean) => elsewhere.query(`ALTER DATABASE "${pathname.slice(1)}" ALLOW_CONNECTIONS ${yes}`);
  await allow(false);
  const cut = again(
    () =>
      elsewhere.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = $1 AND application_name IN ('parley', 'parley listen', 'parley leader')`,
        [pathname.slice(1)],
      ),
    200,
  );
  const stopAsking = again(() => user.get('/conversations'), 300);
  await whileBroken(['ParleyDatabaseAway', 'ParleyRequestsFail'], async () => {
    await cut();
    await stopAsking();
    await allow(true);
    await until('the service', async () => ((await user.get('/conversations')).status === 200 ? true : null));
  });
  await elsewhere.end();
});

it('an event store that hangs', async () => {
  signal(watched.deployment.eventStore, 'SIGSTOP');
  await whileBroken(['ParleyEventStoreAway'], () => Promise.resolve(signal(watched.deployment.eventStore, 'SIGCONT')));
});

it('an event store that answers late', async () => {
  const stopWriting = again(() => user.post('/conversations', {}), 100);
  const halt = again(async () => {
    signal(watched.deployment.eventStore, 'SIGSTOP');
    await sleep(1_000);
    signal(watched.deployment.eventStore, 'SIGCONT');
  }, 100);
  await whileBroken(['ParleyEventStoreSlow'], async () => {
    await halt();
    await stopWriting();
  });
});

it('a wallet provider that is down', async () => {
  await providerFault(watched.deployment, { ...prompt, down: true });
  expect((await user.get('/wallet/withdrawals/sources')).status).toBe(503);
  await whileBroken(['ParleyWalletProviderDown'], async () => {
    await providerFault(watched.deployment, prompt);
    await holdings(user);
  });
});

it('a withdrawal that does not settle', async () => {
  await providerFault(watched.deployment, { ...prompt, settleAfterSeconds: 3_600 });
  const prepared = await prepare(user, usdc, '1000000');
  expect((await confirm(user, prepared)).status).toBe(202);
  await untilOperation(user, prepared.operationId, 'submitted');
  await moveClock(watched.deployment, 1_200);
  await whileBroken(['ParleySettlementsLate'], async () => {
    await moveClock(watched.deployment, 3_000);
    await untilOperation(user, prepared.operationId, 'settled');
    await providerFault(watched.deployment, prompt);
  });
});

it('a provider of models that is down', async () => {
  watched.models.says([{ status: 503 }]);
  const conversationId = await conversationOf(user);
  const stopTrying = again(() => say(user, conversationId, 'hello'), 200);
  await whileBroken(['ParleyModelsAway'], async () => {
    watched.models.says([{ text: ['Again.'] }]);
    await until('an answer', async () => {
      const { status } = await say(user, await conversationOf(user), 'hello');
      return status === 'completed' || null;
    });
    await stopTrying();
  });
});

it('an MCP server that is away', async () => {
  await watched.mcp.stop();
  await whileBroken(['ParleyMcpServerAway'], () => watched.mcp.restart());
});

it('a disk that is nearly full', async () => {
  const { bavail, bsize } = await statfs(watched.disk);
  const file = join(watched.disk, 'filling');
  await writeFile(file, Buffer.alloc(Math.floor(bavail * bsize * 0.95)));
  await whileBroken(['ParleyDiskFull'], () => rm(file));
});

it('as many runs as there may be', async () => {
  watched.models.says([{ text: ['word '], ending: 'endless' }]);
  const runIds = await Promise.all(
    Array.from({ length: capacity }, async () => (await start(user, await conversationOf(user))).body.runId),
  );
  await whileBroken(['ParleyCapacityFull'], async () => {
    for (const runId of runIds)
      await until('an abort', async () => (await user.post(`/agent-runs/${runId}/abort`)).status < 300 || null);
    for (const runId of runIds) await untilEnded(user, runId);
    watched.models.says([{ text: ['Again.'] }]);
  });
});

it('a session that holds the tables of the log', async () => {
  const admin = await connected();
  await admin.query('BEGIN; LOCK TABLE transparency_leaves IN ACCESS EXCLUSIVE MODE');
  expect((await user.post('/conversations', {})).status).toBe(201);
  await moveClock(watched.deployment, 1_200);
  await whileBroken(['ParleyCheckpointOld'], async () => {
    await admin.query('ROLLBACK');
    await admin.query("SELECT pg_notify('parley_checkpoint_wanted', '')");
  });
  await admin.end();
});

it('a witness that is away', async () => {
  await watched.witness.stop();
  expect((await user.post('/conversations', {})).status).toBe(201);
  await moveClock(watched.deployment, 1_200);
  await whileBroken(['ParleyCheckpointUnwitnessed'], async () => {
    await watched.witness.start({ WITNESS_LOGS: await keyOfLog(watched.deployment) });
    await wantCheckpoint();
  });
});

it('a witness that refuses, also after it was away', async () => {
  await watched.witness.stop();
  expect((await user.post('/conversations', {})).status).toBe(201);
  // The witness claims to have seen a larger tree than exists.
  const refusing = createServer((_, response) => response.writeHead(409).end('999999999\n'));
  await new Promise<void>((resolve) => refusing.listen(watched.witnessPort, '127.0.0.1', resolve));
  await wantCheckpoint();
  await whileBroken(['ParleyWitnessRefuses'], async () => {
    refusing.closeAllConnections();
    await new Promise((resolve) => refusing.close(resolve));
    await watched.witness.start({ WITNESS_LOGS: await keyOfLog(watched.deployment) });
    await wantCheckpoint();
  });
});

async function wantCheckpoint(): Promise<void> {
  const admin = await connected();
  await admin.query("SELECT pg_notify('parley_checkpoint_wanted', '')");
  await admin.end();
}

it('an endpoint of a partner that takes nothing', async () => {
  const { partner } = await told();
  partner.manner = () => 'fail';
  await prepare(user, usdc, '1');
  await whileBroken(['ParleyWebhookEndpointFails'], async () => {
    partner.manner = () => 'take';
    await moveClock(watched.deployment, 600);
    await until('the webhook', () => Promise.resolve(partner.taken.length > 0 || null));
  });
  await partner.leave();
});

it('an endpoint of a partner that says that it is gone; one that an operator disabled is no trouble', async () => {
  const { partner, endpoint } = await told();
  const other = await told();
  expect((await other.endpoint('PATCH', { enabled: false })).status).toBe(200);
  partner.manner = () => 'gone';
  await prepare(user, usdc, '1');
  await whileBroken(['ParleyWebhookEndpointDisabled'], async () => {
    expect((await endpoint('DELETE')).status).toBe(200);
  });
  await Promise.all([partner.leave(), other.partner.leave()]);
});

it('webhooks that nobody can claim', async () => {
  const { partner } = await told();
  const admin = await connected();
  const claimed = 'NEW.lease IS DISTINCT FROM OLD.lease';
  const takeAgain = await refuseRows(admin, { table: 'webhook_lanes', on: 'UPDATE', when: claimed });
  await prepare(user, usdc, '1');
  await moveClock(watched.deployment, 600);
  await whileBroken(['ParleyWebhooksLate'], takeAgain);
  await admin.end();
  await partner.leave();
});

/** A partner's endpoint that receives all events, and the operator's calls that change it. */
async function told() {
  const partner = await new PartnerEndpoint().listen();
  const operator = await operatorOf(watched.deployment, ['webhooks'], { subject: 'ada' });
  const asked = { url: partner.url, description: 'Acme', reason: 'a test' };
  const { status, body } = await operator.post<{ secret: string; endpointId: string }>('/webhook-endpoints', asked);
  expect(status).toBe(201);
  partner.secret = body.secret;
  const endpoint = (method: 'PATCH' | 'DELETE', change: object = {}) =>
    operator.request(method, `/webhook-endpoints/${body.endpointId}`, { reason: 'a test', ...change });
  return { partner, endpoint };
}

it('more requests than an api bears', async () => {
  const burst = () => Promise.all(Array.from({ length: 100 }, () => user.post('/conversations', {})));
  await whileBroken(['ParleyOverloaded'], again(burst, 1_000));
});

it('what the panels of the dashboard ask is answered', async () => {
  for (const expression of expressionsIn(await shippedDashboard())) {
    const found = await fetch(`${watched.prometheus.url}/api/v1/query?query=${encodeURIComponent(expression)}`);
    expect([expression, await found.json()]).toEqual([expression, expect.objectContaining({ status: 'success' })]);
  }
});

it('what the runbook has operators ask is answered, by PostgreSQL and the command line', async () => {
  const runbook = await shipped('../docs/runbook.md');
  const admin = await connected();
  const statements = [...runbook.matchAll(/(?:`|"|^```sql\n)(SELECT [^`"]+)(?:`|"|^```$)/gm)].map(
    ([, sql = '']) => sql,
  );
  expect(statements.length).toBeGreaterThan(2);
  for (const sql of statements) await admin.query(sql);
  await admin.end();
  // One command may be quoted several times, each time with other options.
  const optionsOf = new Map<string, Set<string>>();
  for (const [, words = '', rest = ''] of runbook.matchAll(/`parley ([a-z][a-z-]*(?: [a-z][a-z-]*)?)([^`]*)`/g)) {
    const quoted = rest.match(/--[a-z][a-z-]*/g) ?? [];
    optionsOf.set(words, new Set([...(optionsOf.get(words) ?? []), ...quoted]));
  }
  expect(optionsOf.size).toBeGreaterThan(3);
  for (const [words, options] of optionsOf) {
    const { stdout } = await parley({}, [...words.split(' '), '--help']);
    expect(stdout).toContain(`Usage: parley ${words} `);
    for (const option of options) expect(stdout).toContain(`  ${option} `);
  }
});

it('has fired each alert of docker/alerts.yaml', async () => {
  expect([...seen].sort()).toEqual(alertsIn(await shipped('alerts.yaml')).sort());
});
