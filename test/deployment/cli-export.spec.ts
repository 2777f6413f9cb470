import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operatorOf, type TestClient } from '@app/testing/client';
import { type Deployment, startDeployment, testSecretKey } from '@app/testing/deployment';
import { exportedFiles } from '@app/testing/exports';
import { until } from '@app/testing/until';
import { jsonOf, parley, parleyMain } from './cli';

let deployment: Deployment;
let user: TestClient;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-export-'));
  deployment = await startDeployment({ mode: 'in-process' });
  user = await deployment.newUser();
});
afterAll(async () => {
  await deployment.stop();
  await rm(folder, { recursive: true, force: true });
});

const place = (name: string) => join(folder, name);
const isThere = (name: string) =>
  access(place(name)).then(
    () => true,
    () => false,
  );
const sizeOf = (name: string) =>
  stat(place(name)).then(
    ({ size }) => size,
    () => 0,
  );
const argsTo = (to: string) => ['users', 'export', user.userId, '--reason', 'as asked', '--to', to];
async function viaService(): Promise<Record<string, string>> {
  const { token } = await operatorOf(deployment, ['users']);
  return { PARLEY_URL: deployment.baseUrls[0] ?? '', PARLEY_OPERATOR_TOKEN: token };
}

describe('parley users export', () => {
  it('writes an archive that only its owner can read, from the stores and from the service', async () => {
    const viaStores = {
      DATABASE_URL: deployment.databaseUrl,
      EVENTSTORE_URL: deployment.eventStoreUrl,
      PARLEY_SECRET_KEY: testSecretKey,
    };
    const ways = [
      ['stores.zip', viaStores],
      ['service.zip', await viaService()],
    ] as const;
    for (const [name, env] of ways) {
      const { bytes } = jsonOf<{ bytes: number }>(await parley(env, [...argsTo(place(name)), '--json'], folder));
      const found = await stat(place(name));
      expect([name, found.size, found.mode & 0o777]).toEqual([name, bytes, 0o600]);
      expect(exportedFiles(await readFile(place(name))).manifest).toMatchObject({
        complete: true,
        userId: user.userId,
      });
      expect(await isThere(`${name}.unfinished`)).toBe(false);
    }
  });

  it('overwrites nothing', async () => {
    await writeFile(place('mine.txt'), 'mine');
    expect(await parley(await viaService(), argsTo(place('mine.txt')), folder)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('exists already'),
    });
    expect(await readFile(place('mine.txt'), 'utf8')).toBe('mine');
  });

  it('says what is wrong in one line, and leaves nothing', async () => {
    const env = await viaService();
    const unknown = argsTo(place('unknown.zip')).map((arg) =>
      arg === user.userId ? '00000000-0000-4000-8000-000000000000' : arg,
    );
    expect(await parley(env, unknown, folder)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^refused \(404\): .*\n$/),
    });
    expect(await parley(env, argsTo(place('no/folder.zip')), folder)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/cannot be written: .*\n$/),
    });
    expect(await parley(env, argsTo(place('x.zip')).slice(0, -2), folder)).toMatchObject({ code: 2 });
    expect([await isThere('unknown.zip'), await isThere('unknown.zip.unfinished')]).toEqual([false, false]);
  });
});

describe('parley users export, of a service that breaks off', () => {
  let broken: Server;
  let answer: (response: ServerResponse) => void;
  let running: ChildProcess | null = null;
  beforeAll(async () => {
    broken = createServer((request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'application/zip' });
      response.write(Buffer.alloc(100_000, 'P'));
      answer(response);
    });
    broken.listen(0, '127.0.0.1');
    await once(broken, 'listening');
  });
  afterAll(async () => {
    running?.kill('SIGKILL');
    broken.closeAllConnections();
    await new Promise((resolve) => broken.close(resolve));
  });
  const env = () => {
    // Reason for the assertion: it listens.
    const { port } = broken.address() as AddressInfo;
    return { PARLEY_URL: `http://127.0.0.1:${port}`, PARLEY_OPERATOR_TOKEN: 'any' };
  };

  it.each([
    ['a connection that is cut', (response: ServerResponse) => void setTimeout(() => response.destroy(), 200)],
    ['an answer that ends early', (response: ServerResponse) => void response.end()],
  ])('leaves nothing of %s', async (_, cut) => {
    answer = cut;
    const { code, stdout, stderr } = await parley(env(), argsTo(place('cut.zip')), folder);
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(/cut/)]);
    expect([await isThere('cut.zip'), await isThere('cut.zip.unfinished')]).toEqual([false, false]);
  });

  it.each(['SIGKILL', 'SIGTERM'] as const)(
    'leaves nothing that looks whole after %s, and can be repeated',
    async (signal) => {
      answer = () => undefined; // it never ends
      const name = `${signal}.zip`;
      running = spawn(process.execPath, [parleyMain, ...argsTo(place(name))], {
        env: { ...process.env, ...env() },
        cwd: folder,
      });
      await until('the first bytes', async () => ((await sizeOf(`${name}.unfinished`)) > 0 ? true : null));
      running.kill(signal);
      await once(running, 'close');
      expect([await isThere(name), await isThere(`${name}.unfinished`)]).toEqual([false, signal === 'SIGKILL']);
      expect(await parley(await viaService(), argsTo(place(name)), folder)).toMatchObject({ code: 0 });
      expect([await isThere(name), await isThere(`${name}.unfinished`)]).toEqual([true, false]);
    },
  );
});
