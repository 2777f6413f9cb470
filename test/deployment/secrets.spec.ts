/** Without the key that opens the sealed wallet keys, or with another one, `npm start` refuses to start. */
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { TestClient } from '@app/testing/client';
import { freePorts, TestProcess } from '@app/testing/processes';

let folder: string;
let service: TestProcess;
let baseUrl: string;
let env: Record<string, string>;
const atMostMs = 240_000;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-sealed-'));
  const [port, management] = await freePorts(2);
  baseUrl = `http://127.0.0.1:${port}`;
  env = { PORT: String(port), MANAGEMENT_PORT: String(management), PARLEY_DATA_DIR: join(folder, 'data') };
  service = standalone((output) => output.includes('is ready'));
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

function standalone(ready: (output: string) => boolean): TestProcess {
  return new TestProcess({ app: 'standalone', env, cwd: folder, ready });
}

const secrets = (): string => join(folder, 'data', 'secrets.json');
const kept = (): string => join(folder, 'kept.json');

/** The one line that a refused start prints. */
async function refusal(): Promise<string> {
  await expect(service.start()).rejects.toThrow('standalone ended with 1');
  const lines = service.output.trim().split('\n');
  expect(lines).toHaveLength(1);
  return lines[0] ?? '';
}

it(
  'a lost secrets.json is made again while nothing is sealed',
  async () => {
    // The demo user's wallet is sealed first, and is created once everything is ready.
    const first = standalone(() => existsSync(secrets()));
    await first.start();
    await first.kill();
    const before = await readFile(secrets(), 'utf8');
    await rm(secrets());
    await service.start();
    expect(await readFile(secrets(), 'utf8')).not.toBe(before);
  },
  atMostMs,
);

it(
  'and refused once a wallet has a key, as is that of another folder',
  async () => {
    // Reason for the assertion: the file's content is specified (docs/decisions/configuration-and-start.md).
    const access = JSON.parse(await readFile(join(folder, 'data', 'sandbox.json'), 'utf8')) as Record<string, string>;
    const { partnerKey = '', userToken = '', userId = '' } = access;
    const user = new TestClient(baseUrl, partnerKey, userToken, userId);
    expect((await user.post('/wallet')).status).toBe(200);
    expect(await service.stop()).toBe(0);

    await rename(secrets(), kept());
    expect(await refusal()).toMatch(/secrets\.json is lost, .* put it back from a backup, or set PARLEY_DATA_DIR/);
    const another = { secretKey: randomBytes(32).toString('base64'), partnerKey };
    await writeFile(secrets(), JSON.stringify(another), { mode: 0o600 });
    expect(await refusal()).toMatch(
      /^PARLEY_SECRET_KEY \(or secrets\.json\) belongs to other data: .*; give the service the key/,
    );

    await cp(kept(), secrets());
    await service.start();
    expect((await user.post('/wallet')).status).toBe(200);
  },
  atMostMs,
);
