import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import { until } from '@app/testing/until';
import { jsonOf, parley, type CommandOutcome } from './cli';

/** Replicas keep what they know of a key this long (specification, "Authentication", rule 4). */
const revokedWithinMs = 30_000;
const patienceMs = 60_000;

let deployment: Deployment;
let user: TestClient;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-cli-'));
  deployment = await startDeployment({ mode: 'in-process' });
  user = await deployment.newUser();
});

afterAll(async () => {
  await deployment.stop();
  await rm(folder, { recursive: true, force: true });
});

/** A deployment that the environment names. */
const run = (...args: string[]): Promise<CommandOutcome> =>
  parley(
    {
      DATABASE_URL: deployment.databaseUrl,
      EVENTSTORE_URL: deployment.eventStoreUrl,
      PARLEY_SECRET_KEY: randomBytes(32).toString('base64'),
    },
    args,
    folder,
  );

async function statusWith(partnerKey: string): Promise<number> {
  const headers = { ...user.headers, 'x-api-key': partnerKey };
  return (await fetch(user.url('/v1/users/me'), { headers })).status;
}

interface Minted {
  keyId: string;
  key: string;
  label: string;
}

interface Listed {
  data: { keyId: string; label: string; revokedAt: string | null }[];
}

describe('parley keys', () => {
  let minted: Minted;

  it('mints a key that is admitted at once', async () => {
    minted = jsonOf<Minted>(await run('keys', 'mint', '--label', 'Acme', '--reason', 'a new partner', '--json'));
    expect(minted).toMatchObject({ label: 'Acme', key: expect.stringMatching(/^pk_[A-Za-z0-9_-]{43}$/) });
    expect(await statusWith(minted.key)).toBe(200);
  });

  it('lists keys, and shows none again', async () => {
    const outcome = await run('--json', 'keys', 'list');
    expect(jsonOf<Listed>(outcome).data).toContainEqual(
      expect.objectContaining({ keyId: minted.keyId, label: 'Acme', revokedAt: null }),
    );
    expect(outcome.stdout).not.toContain(minted.key);
    const { stdout } = await run('keys', 'list');
    expect(stdout).toMatch(/^KEY ID +CREATED +REVOKED +LABEL\n/);
    expect(stdout).toContain(minted.keyId);
  });

  it('revokes a key: replicas refuse it within 30 s', async () => {
    expect(await run('keys', 'revoke', minted.keyId, '--reason', 'leaked')).toMatchObject({ code: 0 });
    const startedMs = performance.now();
    await until('the refusal', async () => ((await statusWith(minted.key)) === 401 ? true : null), patienceMs);
    expect(performance.now() - startedMs).toBeLessThan(revokedWithinMs);
    const { data } = jsonOf<Listed>(await run('keys', 'list', '--json'));
    expect(data.find(({ keyId }) => keyId === minted.keyId)?.revokedAt).toMatch(/Z$/);
    expect(await run('keys', 'revoke', minted.keyId)).toMatchObject({ code: 0 });
  });

  it('says in one line what cannot be done', async () => {
    const unknown = await run('keys', 'revoke', '00000000-0000-4000-8000-000000000000');
    expect(unknown).toEqual({ code: 1, stdout: '', stderr: 'there is no key 00000000-0000-4000-8000-000000000000\n' });
    const long = await run('keys', 'mint', '--label', 'x'.repeat(101));
    expect(long).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^label: .*\n$/) });
  });
});

describe('parley users', () => {
  it('disables and enables an account', async () => {
    expect(await run('users', 'disable', user.userId, '--reason', 'as asked')).toMatchObject({ code: 0 });
    const refused = await until('the refusal', async () => {
      const answer = await user.get('/v1/users/me');
      return answer.status === 403 ? answer : null;
    });
    expect(refused.body).toMatchObject({ reason: 'account_disabled' });
    expect(jsonOf(await run('users', 'enable', user.userId, '--reason', 'sorted out', '--json'))).toEqual({
      userId: user.userId,
      disabled: false,
    });
    await until('the account', async () => ((await user.get('/v1/users/me')).status === 200 ? true : null));
  });
});

describe('parley controls', () => {
  it('pauses and resumes what the deployment takes on', async () => {
    const conversation = await user.post<{ id: string }>('/conversations');
    const start = { conversationId: conversation.body.id, input: { text: 'help' } };
    expect(await run('controls', 'pause', 'runs', '--reason', 'maintenance')).toMatchObject({ code: 0 });
    const refused = await user.post('/agent-runs', start);
    expect(refused).toMatchObject({ status: 409, body: { reason: 'deployment_paused' } });
    const { data } = jsonOf<{ data: unknown[] }>(await run('controls', 'list', '--json'));
    expect(data).toContainEqual({
      control: 'runs',
      paused: true,
      reason: 'maintenance',
      since: expect.stringMatching(/Z$/),
    });
    expect(await run('controls', 'resume', 'runs', '--reason', 'done')).toMatchObject({ code: 0 });
    expect((await user.post('/agent-runs', start)).status).toBe(202);
  });
});

describe('parley', () => {
  it.each([
    [[]],
    [['keys']],
    [['no-such-command']],
    [['keys', 'mint']],
    [['keys', 'revoke', 'no-uuid']],
    [['users', 'disable', '00000000-0000-4000-8000-000000000000']],
    [['controls', 'pause', 'everything', '--reason', 'x']],
    [['controls', 'pause', 'runs', '--reason', '']],
  ])('ends with 2 on wrong usage: %j', async (args) => {
    const { code, stdout, stderr } = await run(...args);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^(error: |Usage: )/);
  });

  it('shows its help on stdout', async () => {
    expect(await run('keys', '--help')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Usage: parley keys'),
    });
  });

  it('says that nothing runs, and that stores do not answer, in one line', async () => {
    const nothing = await parley({}, ['keys', 'list'], folder);
    expect(nothing).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^no Parley runs on .*\n$/) });
    const away = { DATABASE_URL: 'postgres://parley@127.0.0.1:1/parley', EVENTSTORE_URL: 'unix:/nowhere' };
    const secret = { PARLEY_SECRET_KEY: randomBytes(32).toString('base64') };
    const outcome = await parley({ ...away, ...secret }, ['keys', 'list'], folder);
    expect(outcome).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^the database did not answer.*\n$/),
    });
  });
});
