import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { type Deployment, startDeployment, testSecretKey } from '@app/testing/deployment';
import { operatorOf, type TestClient } from '@app/testing/client';
import { until } from '@app/testing/until';
import { jsonOf, parley, type CommandOutcome } from './cli';

/** Replicas cache a key this long (specification, "Authentication", rule 4). */
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

/** Runs a command against the deployment that the environment names. */
const run = (...args: string[]): Promise<CommandOutcome> =>
  parley(
    {
      DATABASE_URL: deployment.databaseUrl,
      EVENTSTORE_URL: deployment.eventStoreUrl,
      PARLEY_SECRET_KEY: testSecretKey,
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
    minted = jsonOf<Minted>(
      await run('keys', 'mint', '--label', 'Acme', '--reason', 'a new partner', '--yes', '--json'),
    );
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
    expect(stdout).toMatch(/^KEY ID +LABEL +FEED/);
    expect(stdout).toContain(minted.keyId);
  });

  it('revokes a key: replicas refuse it within 30 s', async () => {
    expect(await run('keys', 'revoke', minted.keyId, '--reason', 'leaked', '--yes')).toMatchObject({ code: 0 });
    const startedMs = performance.now();
    await until('the refusal', async () => ((await statusWith(minted.key)) === 401 ? true : null), patienceMs);
    expect(performance.now() - startedMs).toBeLessThan(revokedWithinMs);
    const { data } = jsonOf<Listed>(await run('keys', 'list', '--json'));
    expect(data.find(({ keyId }) => keyId === minted.keyId)?.revokedAt).toMatch(/Z$/);
    expect(await run('keys', 'revoke', minted.keyId, '--reason', 'once more', '--yes')).toMatchObject({ code: 0 });
  });

  it('says in one line what cannot be done', async () => {
    const because = ['--reason', 'tidying up', '--yes'];
    const unknown = await run('keys', 'revoke', '00000000-0000-4000-8000-000000000000', ...because);
    expect(unknown).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^refused \(404\): .*\n$/) });
    const long = await run('keys', 'mint', '--label', 'x'.repeat(101), ...because);
    expect(long).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^--label: .*\n$/) });
  });

  it('changes nothing without --yes where nobody can be asked', async () => {
    expect(await run('keys', 'mint', '--label', 'unasked', '--reason', 'x')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('add --yes'),
    });
    const { data } = jsonOf<Listed>(await run('keys', 'list', '--json'));
    expect(data.map(({ label }) => label)).not.toContain('unasked');
  });

  it('logs who asked for a change, and why', async () => {
    const { data } = jsonOf<{ data: object[] }>(await run('log', 'list', '--json'));
    expect(data).toContainEqual(
      expect.objectContaining({ operation: 'keys.mint', operator: userInfo().username, reason: 'a new partner' }),
    );
  });
});

describe('parley users', () => {
  it('disables and enables an account', async () => {
    expect(await run('users', 'disable', user.userId, '--reason', 'as asked', '--yes')).toMatchObject({ code: 0 });
    const refused = await until('the refusal', async () => {
      const answer = await user.get('/v1/users/me');
      return answer.status === 403 ? answer : null;
    });
    expect(refused.body).toMatchObject({ reason: 'account_disabled' });
    const enabled = jsonOf(await run('users', 'enable', user.userId, '--reason', 'sorted out', '--yes', '--json'));
    expect(enabled).toMatchObject({ operation: 'users.enable', target: user.userId });
    await until('the account', async () => ((await user.get('/v1/users/me')).status === 200 ? true : null));
  });

  it('erases a person, says how far that is, and prints the certificate', async () => {
    const leaver = await deployment.newUser();
    expect(await run('users', 'certificate', leaver.userId)).toMatchObject({ code: 1 });
    expect(await run('users', 'erase', leaver.userId, '--reason', 'as asked', '--yes')).toMatchObject({ code: 0 });
    await until('the end of the erasure', async () => {
      const { status } = jsonOf<{ status: string }>(await run('users', 'erasure', leaver.userId, '--json'));
      return status === 'completed' ? true : null;
    });
    const { note } = jsonOf<{ note: string }>(await run('users', 'certificate', leaver.userId, '--json'));
    expect(note).toMatch(/^parley-erasure\/1\n/);
  });
});

describe('parley controls', () => {
  it('pauses and resumes what the deployment takes on', async () => {
    const conversation = await user.post<{ id: string }>('/conversations');
    const start = { conversationId: conversation.body.id, input: { text: 'help' } };
    expect(await run('controls', 'pause', 'runs', '--reason', 'maintenance', '--yes')).toMatchObject({ code: 0 });
    const refused = await user.post('/agent-runs', start);
    expect(refused).toMatchObject({ status: 409, body: { reason: 'deployment_paused' } });
    const { controls } = jsonOf<{ controls: unknown[] }>(await run('deployment', 'show', '--json'));
    expect(controls).toContainEqual({
      control: 'runs',
      paused: true,
      reason: 'maintenance',
      since: expect.stringMatching(/Z$/),
    });
    expect(await run('controls', 'resume', 'runs', '--reason', 'done', '--yes')).toMatchObject({ code: 0 });
    expect((await user.post('/agent-runs', start)).status).toBe(202);
  });
});

describe('parley with PARLEY_OPERATOR_TOKEN', () => {
  const over = async (scopes: readonly string[], ...args: string[]): Promise<CommandOutcome> => {
    const minted = { subject: 'ada', scopes };
    const { accessToken } = await deployment.sandbox<{ accessToken: string }>('POST', 'operator-tokens', minted);
    return parley({ PARLEY_URL: user.baseUrl, PARLEY_OPERATOR_TOKEN: accessToken }, args, folder);
  };

  it('calls the service, as the operator that the token names', async () => {
    expect(jsonOf(await over(['users'], 'users', 'show', user.userId, '--json'))).toMatchObject({
      account: { userId: user.userId, disabled: false },
    });
    expect((await over(['users'], 'users', 'show', user.userId)).stdout).toMatch(/^ACCOUNT\n {2}USER ID +/m);
    const { data } = jsonOf<{ data: object[] }>(await over(['deployment'], 'log', 'list', '--json'));
    expect(data).toContainEqual(expect.objectContaining({ type: 'operator.read', operator: 'ada' }));
  });

  it('says which problem the service answered, and that it does not answer', async () => {
    expect(await over(['users'], 'keys', 'list')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^refused \(permission_required\): .*\n$/),
    });
    const nowhere = { PARLEY_URL: 'http://127.0.0.1:1', PARLEY_OPERATOR_TOKEN: 'any' };
    expect(await parley(nowhere, ['keys', 'list'], folder)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^http:\/\/127.0.0.1:1 does not answer/),
    });
    const inClearText = { PARLEY_URL: 'http://parley.example', PARLEY_OPERATOR_TOKEN: 'any' };
    expect(await parley(inClearText, ['keys', 'list'], folder)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^PARLEY_URL must begin with https/),
    });
  });
});

describe('parley streams', () => {
  it('prints an export as it comes, from the stores and from the service, and a refusal as one', async () => {
    const token = (await operatorOf(deployment, ['audit'])).token;
    const over = { PARLEY_URL: deployment.baseUrls[0] ?? '', PARLEY_OPERATOR_TOKEN: token };
    const stream = `user-${(await deployment.newUser()).userId}`;
    const args = ['streams', 'export', stream];
    for (const exported of [await run(...args), await parley(over, args, folder)]) {
      expect([exported.code, exported.stderr]).toEqual([0, '']);
      const [first = '', ...others] = exported.stdout.split('\n');
      expect(others).toEqual(['']);
      expect(JSON.parse(first)).toMatchObject({ stream, revision: 0 });
    }
    const refused = await parley(over, ['streams', 'export', 'user-nobody'], folder);
    expect([refused.code, refused.stdout, refused.stderr]).toEqual([1, '', expect.stringContaining('refused (404)')]);
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
    [['runs', 'list', '--state', 'odd']],
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

  it('completes nouns, verbs and options in a shell', async () => {
    expect((await run('complete', 'bash')).stdout).toContain('parley complete --');
    expect((await run('complete', '--', 'users', 'set')).stdout).toMatch(/^set-caps\t/);
    expect((await run('complete', '--', 'users', 'set-caps', '--d')).stdout).toMatch(/^--day-cents\t/);
  });

  it('says that nothing runs, and that stores do not answer, in one line', async () => {
    const nothing = await parley({}, ['keys', 'list'], folder);
    expect(nothing).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^no Parley runs on .*\n$/) });
    const away = { DATABASE_URL: 'postgres://parley@127.0.0.1:1/parley', EVENTSTORE_URL: 'unix:/nowhere' };
    const secret = { PARLEY_SECRET_KEY: testSecretKey };
    const outcome = await parley({ ...away, ...secret }, ['keys', 'list'], folder);
    expect(outcome).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^the database did not answer.*\n$/),
    });
  });
});
