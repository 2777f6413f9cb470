import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { until } from '@app/testing/until';
import { requestJson, TestClient } from '@app/testing/client';
import { freePorts, TestProcess } from '@app/testing/processes';

const run = promisify(execFile);

interface SandboxFile {
  baseUrl: string;
  partnerKey: string;
  userToken: string;
  userId: string;
  operatorToken: string;
}

let folder: string;
let ports: number[];
const started: TestProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-standalone-'));
  ports = await freePorts(4);
  // Variables that the environment does not set are read from this file.
  await writeFile(join(folder, '.env'), `PORT=${ports[0]}\nMANAGEMENT_PORT=${ports[1]}\nLOG_LEVEL=silent\n`);
});

afterAll(async () => {
  await Promise.all(started.map((one) => one.kill('SIGINT')));
  await rm(folder, { recursive: true, force: true });
});

/** Runs in the folder what `npm start` runs. */
function standalone(env: Record<string, string> = {}): TestProcess {
  const options = { app: 'standalone' as const, env, cwd: folder, ready: (out: string) => out.includes('is ready') };
  const one = new TestProcess(options);
  started.push(one);
  return one;
}

async function access(): Promise<SandboxFile> {
  // Reason for the assertion: the members are what the test is about.
  return JSON.parse(await readFile(join(folder, '.parley', 'sandbox.json'), 'utf8')) as SandboxFile;
}

function client({ baseUrl, partnerKey, userToken, userId }: SandboxFile): TestClient {
  return new TestClient(baseUrl, partnerKey, userToken, userId);
}

/** The events of the demo user's newest conversation. */
async function eventsOf(user: TestClient, conversationId: string): Promise<unknown> {
  const answer = await user.get<{ data: unknown[] }>(`/conversations/${conversationId}/events`);
  expect(answer.status).toBe(200);
  return answer.body.data;
}

/** The line of the output that is meant to be pasted into a shell. */
function pasted(output: string): string {
  const line = output.split('\n').find((one) => /^(sh|node) /.test(one));
  if (line === undefined) throw new Error(`no command was printed:\n${output}`);
  return line;
}

/** A folder of programs without curl. */
async function withoutCurl(): Promise<string> {
  const bin = join(folder, 'bin');
  await mkdir(bin);
  for (const tool of ['setpriv', 'flock', 'sh']) {
    const { stdout } = await run('sh', ['-c', `command -v ${tool}`]);
    await symlink(stdout.trim(), join(bin, tool));
  }
  await symlink(process.execPath, join(bin, 'node'));
  return bin;
}

interface SystemProcess {
  pid: number;
  parentPid: number;
  args: string;
}

/** The machine's processes, read from /proc, so that no tool need be installed. */
async function processes(): Promise<SystemProcess[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      try {
        const args = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ');
        const [, parentPid = '0'] = /^PPid:\s*(\d+)$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
        return [{ pid: Number(pid), parentPid: Number(parentPid), args }];
      } catch {
        // It ended meanwhile.
        return [];
      }
    }),
  );
  return found.flat();
}

describe('npm start', () => {
  let first: SandboxFile;
  let conversationId: string;
  let before: unknown;
  let service: TestProcess;

  beforeAll(() => void (service = standalone()));

  it('prints one block, and writes the same to sandbox.json for the owner only', async () => {
    await service.start();
    first = await access();
    expect((await stat(join(folder, '.parley', 'sandbox.json'))).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, '.parley', 'secrets.json'))).mode & 0o777).toBe(0o600);
    expect(Object.keys(first).sort()).toEqual(['baseUrl', 'operatorToken', 'partnerKey', 'userId', 'userToken']);
    for (const value of [first.baseUrl, first.partnerKey, first.userToken, first.operatorToken]) {
      expect(service.output).toContain(value);
    }
    expect(first.baseUrl).toBe(`http://127.0.0.1:${ports[0]}`);
    expect(service.output).not.toMatch(/warning|deprecat|error/i);
    const me = await client(first).get('/v1/users/me');
    expect(me.body).toMatchObject({ userId: first.userId });
    const lifeYears = (Date.parse(String(me.body['expiresAt'])) - Date.now()) / (365 * 86_400_000);
    expect(lifeYears).toBeGreaterThan(9.9);
    expect((await client(first).get('/wallet')).body).toMatchObject({ authStatus: 'ready' });
  });

  it('prints a command that shows a run speak and end', async () => {
    const { stdout, stderr } = await run('sh', ['-c', pasted(service.output)], { timeout: 20_000 });
    expect(stderr).toBe('');
    expect(stdout.match(/^event: agent\.text_delta$/gm)?.length).toBeGreaterThan(5);
    expect(stdout).toMatch(/event: run\.ended\ndata: .*"status":"completed".*\n\n$/);
    conversationId = /"conversationId":"([0-9a-f-]+)"/.exec(stdout)?.[1] ?? '';
    before = await eventsOf(client(first), conversationId);
  });

  it('is refused on a data folder that is in use, naming the process', async () => {
    const second = standalone({ PORT: String(ports[2]), MANAGEMENT_PORT: String(ports[3]) });
    await expect(second.start()).rejects.toThrow(`in use by process ${service.pid}`);
    expect(await second.kill()).toBe(1);
    await expect(standalone().start()).rejects.toThrow(`in use by process ${service.pid}`);
    expect(await client(await access()).get('/v1/users/me')).toMatchObject({ status: 200 });
  });

  it('stops cleanly on Ctrl-C, with a stream open, and finds everything again', async () => {
    const stream = await client(first).stream(`/conversations/${conversationId}/stream`);
    expect(await service.kill('SIGINT')).toBe(0);
    await stream.ended;
    expect(existsSync(join(folder, '.parley', 'sandbox.json'))).toBe(false);
    expect((await processes()).filter(({ args }) => args.includes(folder))).toEqual([]);

    await service.start();
    const again = await access();
    expect(again).toMatchObject({ partnerKey: first.partnerKey, userId: first.userId });
    expect(await eventsOf(client(again), conversationId)).toEqual(before);
    expect(await eventsOf(client(first), conversationId)).toEqual(before);
  });

  it('is ready again after kill -9, with the same data and key, also where there is no curl', async () => {
    await service.kill('SIGKILL');
    service = standalone({ PATH: await withoutCurl() });
    const startedMs = performance.now();
    await service.start();
    const tookMs = performance.now() - startedMs;
    const again = await access();
    expect(again.partnerKey).toBe(first.partnerKey);
    expect(await eventsOf(client(again), conversationId)).toEqual(before);
    console.log(`npm start after kill -9: ready in ${Math.round(tookMs)} ms`);
  });

  it('prints a command for Node alone where there is no curl', async () => {
    const env = { PATH: join(folder, 'bin') };
    const { stdout, stderr } = await run('sh', ['-c', pasted(service.output)], { timeout: 20_000, env });
    expect(stderr).toBe('');
    expect(stdout.match(/^event: agent\.text_delta$/gm)?.length).toBeGreaterThan(5);
    expect(stdout).toMatch(/event: run\.ended\ndata: .*"status":"completed".*\n\n$/);
  });

  it.each([
    ['event store', 'apps/event-store/'],
    ['PostgreSQL', 'postgres -D'],
  ])('goes on when its %s dies', async (_name, program) => {
    const isStore = ({ parentPid, args }: SystemProcess): boolean =>
      parentPid === service.pid && args.includes(program);
    const store = (await processes()).find(isStore);
    if (store === undefined) throw new Error('no such store runs');
    process.kill(store.pid, 'SIGKILL');
    const user = client(await access());
    const deadline = performance.now() + 60_000;
    let created = await user.post('/conversations');
    while (created.status !== 201 && performance.now() < deadline) {
      // A user has 300 requests a minute, and a slow restart without pauses would take more.
      await sleep(100);
      created = await user.post('/conversations');
    }
    expect(created.status).toBe(201);
    // Changes to the read models that a crash of PostgreSQL loses are projected again; until then a read is answered with 503.
    const events = async () => {
      const { status, body } = await user.get<{ data: unknown[] }>(`/conversations/${conversationId}/events`);
      return status === 503 ? null : { status, data: body.data };
    };
    expect(await until('the conversation', events)).toEqual({ status: 200, data: before });
  });

  it('makes a new partner key where an operator revoked its own', async () => {
    const { baseUrl, operatorToken, partnerKey } = await access();
    const operator = async (method: string, path: string, body?: object) =>
      requestJson<{ keyId: string }>(method, `${baseUrl}/operator/v1${path}`, body, {
        authorization: `Bearer ${operatorToken}`,
      });
    const hash = createHash('sha256').update(partnerKey).digest('hex');
    const { body: key } = await operator('GET', `/partner-keys/find?keySha256=${hash}`);
    // 503 while the read model of keys is still behind after the crash.
    const revoked = await until('a revocation in effect', async () => {
      const { status } = await operator('POST', `/partner-keys/${key.keyId}/revoke`, { reason: 'a drill' });
      return status === 503 ? null : status;
    });
    expect(revoked).toBe(200);
    expect(await service.kill('SIGTERM')).toBe(0);
    await service.start();
    const again = await access();
    expect(again.partnerKey).not.toBe(partnerKey);
    expect(service.output).toContain("The sandbox's partner key was revoked: this start makes a new one.");
    expect(await eventsOf(client(again), conversationId)).toEqual(before);
    expect(await service.kill('SIGTERM')).toBe(0);
    await service.start();
    expect((await access()).partnerKey).toBe(again.partnerKey);
  });

  it('takes another demo user where an operator erased its own', async () => {
    const { baseUrl, operatorToken, userId, userToken } = await access();
    const headers = { authorization: `Bearer ${operatorToken}` };
    const erase = `${baseUrl}/operator/v1/users/${userId}/erase`;
    expect((await requestJson('POST', erase, { reason: 'a request' }, headers)).status).toBe(200);
    expect(await service.kill('SIGTERM')).toBe(0);
    await service.start();
    const again = await access();
    expect(service.output).toContain('The account of demo-user is disabled or erased: this start takes demo-user-2.');
    expect([again.userId, again.userToken]).not.toEqual([userId, userToken]);
    expect((await client(again).post('/conversations')).status).toBe(201);
    expect(await service.kill('SIGTERM')).toBe(0);
    await service.start();
    expect((await access()).userId).toBe(again.userId);
  });

  it('stops cleanly after all that, on SIGTERM too', async () => {
    expect(await service.kill('SIGTERM')).toBe(0);
    expect((await processes()).filter(({ args }) => args.includes(folder))).toEqual([]);
  });
});

describe('npm start refuses', () => {
  it('a port that another program has, in one line', async () => {
    const holder = createServer().listen(ports[2], '127.0.0.1');
    const one = standalone({ PORT: String(ports[2]), PARLEY_DATA_DIR: join(folder, 'another') });
    await expect(one.start()).rejects.toThrow(`port ${ports[2]} is in use`);
    expect(await one.kill()).toBe(1);
    expect(one.output.trim().split('\n')).toHaveLength(1);
    holder.close();
  });

  it('everything that is wrong with its environment, at once and without the values', async () => {
    const wrong = { PORT: 'eighty', BUDGET_DAY_CENTS: '1.5', EXECUTION_CAPACITY: 'hunter2' };
    const one = standalone({ ...wrong, PARLEY_DATA_DIR: join(folder, 'never') });
    await expect(one.start()).rejects.toThrow();
    expect(await one.kill()).toBe(1);
    for (const [name, value] of Object.entries(wrong)) {
      expect(one.output).toContain(name);
      expect(one.output).not.toContain(value);
    }
    expect(await readdir(folder)).not.toContain('never');
  });

  it('what belongs to a sandbox, in production', async () => {
    const { secretKey } = JSON.parse(await readFile(join(folder, '.parley', 'secrets.json'), 'utf8')) as SandboxSecrets;
    const one = standalone({
      PARLEY_MODE: 'production',
      WALLET_PROVIDER: 'near-intents',
      PARLEY_SECRET_KEY: secretKey,
      OIDC_ISSUER: `http://127.0.0.1:${ports[0]}/sandbox/issuer`,
    });
    await expect(one.start()).rejects.toThrow('The environment is not valid');
    expect(await one.kill()).toBe(1);
    expect(one.output).toContain('PARLEY_SECRET_KEY: was generated for a sandbox');
    expect(one.output).toContain("OIDC_ISSUER: is a sandbox's issuer");
    expect(one.output).not.toContain(secretKey);
    const bare = standalone({ PARLEY_MODE: 'production' });
    await expect(bare.start()).rejects.toThrow(/PARLEY_SECRET_KEY[^]*OIDC_ISSUER|OIDC_ISSUER[^]*PARLEY_SECRET_KEY/);
  });
});

interface SandboxSecrets {
  secretKey: string;
}
