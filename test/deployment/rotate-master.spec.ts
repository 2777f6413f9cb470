/**
 * The secret key is changed while a deployment serves, as docs/production.md says: nothing is lost, whenever the rotation is killed, and
 * afterwards the deployment works with the new key alone.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Sealing } from '@app/runtime';
import { readConfiguration } from '@app/settings';
import { operatorOf, type TestClient } from '@app/testing/client';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { act, confirm, conversationOf, defined, moveClock, newOwner, prepare, say } from '@app/testing/journeys';
import { untilOperation, usdc } from '@app/testing/journeys';
import { until } from '@app/testing/until';
import { PartnerEndpoint } from '@app/testing/webhooks';
import { walletKeysTable } from '@app/wallets';
import { Client } from 'pg';
import { Webhook } from 'standardwebhooks';
import { parley, parleyMain } from './cli';

/** Enough for a rotation that can be killed in between. */
const otherWallets = 20_000;
const atMostMs = 480_000;
const [old, fresh] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];

let deployment: Deployment;
let database: Client;
let user: TestClient;
let partner: PartnerEndpoint;
let hook: { readonly path: string; readonly signingSecret: string };
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'processes', env: { PARLEY_SECRET_KEY: old } });
  database = new Client({ connectionString: deployment.databaseUrl });
  database.on('error', () => undefined); // the connection ends with the database, which may be removed first
  await database.connect();
  user = await newOwner(deployment);
  partner = await new PartnerEndpoint().listen();
  const operator = await operatorOf(deployment, ['webhooks']);
  const asked = { url: partner.url, description: 'Acme', reason: 'a test' };
  partner.secret = (await operator.post<{ secret: string }>('/webhook-endpoints', asked)).body.secret;
  const { id } = await defined(user);
  // Reason for the assertion: the members that the contract names.
  hook = (await act(user, id, 'rotate-webhook-secret')).body as unknown as typeof hook;
  for (let count = 0; count < 3; count += 1) await conversationOf(user);
  await keepOtherWallets();
}, atMostMs);
afterAll(async () => {
  await partner?.leave();
  await database?.end();
  await deployment?.stop();
});

async function keepOtherWallets(): Promise<void> {
  const sealing = new Sealing(readConfiguration({ PARLEY_SECRET_KEY: old }), walletKeysTable.label);
  const users = Array.from({ length: otherWallets }, () => randomUUID());
  const sealed = users.map((userId) => sealing.seal(Buffer.from(userId), `${userId}/${userId}`));
  await database.query(
    'INSERT INTO wallet_keys (user_id, public_key, sealed) SELECT one, one, sealed FROM unnest($1::uuid[], $2::bytea[]) AS given (one, sealed)',
    [users, sealed],
  );
}

/** Restarts each process with another list of keys. */
async function restartWith(...entries: readonly string[]): Promise<void> {
  for (const part of [...deployment.workers, ...deployment.apis]) {
    expect(await part.stop()).toBe(0);
    await part.start({ PARLEY_SECRET_KEY: entries.join(',') });
  }
}

const env = (...entries: readonly string[]) => ({
  DATABASE_URL: deployment.databaseUrl,
  EVENTSTORE_URL: deployment.eventStoreUrl,
  PARLEY_SECRET_KEY: entries.join(','),
});
const rotate = (...entries: readonly string[]) => parley(env(...entries), ['keys', 'rotate-master', '--yes']);
const lastOf = (text: string) => text.trim().split('\n').at(-1);

/** The sealed bytes of the wallet at this place, in the order of the rotation. */
async function sealedAt(place: number): Promise<string> {
  const { rows } = await database.query<{ sealed: Buffer }>(
    'SELECT sealed FROM wallet_keys ORDER BY user_id OFFSET $1 LIMIT 1',
    [place],
  );
  return rows[0]?.sealed.toString('hex') ?? '';
}

/** Kills a rotation as soon as it has sealed the wallet at this place again. @returns whether it had not sealed all by then */
async function killedAt(place: number): Promise<boolean> {
  const [before, last] = [await sealedAt(place), await sealedAt(otherWallets)];
  const child = spawn(process.execPath, [parleyMain, 'keys', 'rotate-master', '--yes'], {
    env: { PATH: process.env['PATH'] ?? '', ...env(fresh, old) },
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  while (child.exitCode === null && (await sealedAt(place)) === before) await sleep(2);
  child.kill('SIGKILL');
  await ended;
  return child.signalCode === 'SIGKILL' && (await sealedAt(otherWallets)) === last;
}

async function deliver(): Promise<number> {
  const [id, at, body] = [
    randomUUID(),
    new Date(),
    JSON.stringify({ id: randomUUID(), type: 'order.placed', occurredAt: '2026-05-05T10:00:00Z', data: {} }),
  ];
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(hook.signingSecret).sign(id, at, body),
  };
  return (await fetch(`${user.baseUrl}${hook.path}`, { method: 'POST', headers, body })).status;
}

/** A withdrawal, which the wallet's key signs. */
async function withdraw(): Promise<void> {
  await deployment.sandbox('POST', 'deposits', { userId: user.userId, tokenId: usdc, amountRaw: '1000000' });
  const prepared = await prepare(user, usdc, '1000');
  expect((await confirm(user, prepared)).status).toBe(202);
  await moveClock(deployment, 60);
  expect((await untilOperation(user, prepared.operationId)).status).toBe('settled');
}

const pageAfter = (cursor: string | null) =>
  user.get<{ nextCursor: string | null }>(`/conversations?limit=1${cursor === null ? '' : `&cursor=${cursor}`}`);
async function cursor(): Promise<string> {
  const { status, body } = await pageAfter(null);
  expect([status, body.nextCursor]).toEqual([200, expect.any(String)]);
  return body.nextCursor ?? '';
}

const logKey = async () => (await fetch(`${user.baseUrl}/transparency/key`)).text();
const address = async () => (await user.get<{ address: string }>('/wallet')).body.address;

/** Whether everything that a sealed value is needed for works. */
async function everythingWorks(): Promise<void> {
  await withdraw();
  expect(await deliver()).toBe(202);
  const taken = partner.taken.length;
  expect(await say(user, await conversationOf(user))).toMatchObject({ status: 'completed' });
  await until('a webhook', async () => (partner.taken.length > taken ? true : null));
  expect(partner.unverified).toEqual([]);
}

/** Calls the service until it is stopped; each answer must be a success. @returns the function that stops it and returns the answers */
function serving(oldCursor: string): () => Promise<Record<string, number>> {
  const answers: Record<string, number> = {};
  let isOver = false;
  const count = (what: string, status: number): void => {
    answers[`${what} ${status}`] = (answers[`${what} ${status}`] ?? 0) + 1;
  };
  const loop = async (): Promise<void> => {
    while (!isOver) {
      count('wallet', (await user.get('/wallet')).status);
      count('list', (await pageAfter(oldCursor)).status);
      count('create', (await user.post('/conversations', { title: 'while it rotates' })).status);
      if ((answers['hook 202'] ?? 0) < 20) count('hook', await deliver());
    }
  };
  const looping = loop();
  return async () => {
    isOver = true;
    await looping;
    return answers;
  };
}

it(
  'is changed while the service runs, and killed meanwhile, without anything being lost',
  async () => {
    await everythingWorks();
    const [before, ofLog, ofWallet] = [await cursor(), await logKey(), await address()];
    expect(ofLog).toMatch(/^parley\/\S+\+/);
    await restartWith(old, fresh);
    await restartWith(fresh, old);
    const between = await cursor();
    const counted = await parley(env(fresh, old), ['doctor', '--json']);
    expect(counted.stdout).toContain(
      `${otherWallets + 1} of wallet_keys, 1 of webhook_keys, 1 of webhook_endpoint_keys`,
    );

    const stop = serving(before);
    expect(await killedAt(0)).toBe(true);
    expect(await killedAt(otherWallets / 2)).toBe(true);
    // A start without the older entry is refused until all is done.
    const [worker] = deployment.workers;
    await worker?.stop();
    await expect(worker?.start({ PARLEY_SECRET_KEY: fresh })).rejects.toThrow('belongs to other data');
    await worker?.start({ PARLEY_SECRET_KEY: `${fresh},${old}` });

    const { code, stdout, stderr } = await rotate(fresh, old);
    expect([code, lastOf(stdout)]).toEqual([
      0,
      'No value needs an older entry: keep only the first one in PARLEY_SECRET_KEY, and restart every process.',
    ]);
    expect(stdout).toContain(`wallet_keys: ${otherWallets + 1} of ${otherWallets + 1}\n`);
    expect(stderr).toMatch(new RegExp(`^sealing wallet_keys: ${otherWallets + 1} of ${otherWallets + 1} values`, 'm'));
    const answers = await stop();
    expect(Object.keys(answers).sort()).toEqual(['create 201', 'hook 202', 'list 200', 'wallet 200']);
    await everythingWorks();

    await restartWith(fresh);
    await everythingWorks();
    expect([await logKey(), await address()]).toEqual([ofLog, ofWallet]);
    expect((await pageAfter(between)).status).toBe(200);
    expect(await pageAfter(before)).toMatchObject({ status: 400, body: { reason: 'invalid_cursor' } });
    console.log(`changed under ${JSON.stringify(answers)}`);
  },
  atMostMs,
);

it(
  'ends with 1 where a value needs another key, and with 2 where nobody can be asked',
  async () => {
    const other = await rotate(randomBytes(32).toString('base64'));
    expect([other.code, lastOf(other.stderr)]).toEqual([
      1,
      expect.stringMatching(
        /^\d+ values open with no entry of PARLEY_SECRET_KEY: add the key that sealed them at its end/,
      ),
    ]);
    const locker = new Client({ connectionString: deployment.databaseUrl });
    await locker.connect();
    await locker.query('BEGIN; SELECT 1 FROM webhook_endpoint_keys FOR UPDATE');
    const locked = await rotate(old, fresh);
    await locker.end();
    expect([locked.code, lastOf(locked.stderr)]).toEqual([
      1,
      expect.stringMatching(/^2 values still need an older entry/),
    ]);
    expect((await rotate(fresh, old)).code).toBe(0);
    const unasked = await parley(env(fresh, old), ['keys', 'rotate-master']);
    expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining('add --yes')]);
    expect((await parley({ ...env(), PARLEY_DATA_DIR: '/nowhere' }, ['keys', 'rotate-master'])).stderr).toContain(
      'PARLEY_SECRET_KEY is not set',
    );
  },
  atMostMs,
);
