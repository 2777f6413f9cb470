import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestClient } from '@app/testing/client';
import { freePorts, isReady, TestProcess } from '@app/testing/processes';
import { parley } from './cli';

const startedWithinMs = 120_000;

interface Finding {
  readonly what: string;
  readonly state: 'ok' | 'warning' | 'bad';
  readonly says: string;
}

let folder: string;
let ports: Record<string, string>;
let service: TestProcess;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-doctor-'));
  const [port, managementPort] = await freePorts(2);
  ports = { PORT: String(port), MANAGEMENT_PORT: String(managementPort), LOG_LEVEL: 'warn' };
  const baseUrl = `http://127.0.0.1:${port}`;
  const ready = async (output: string): Promise<boolean> => output.includes('is ready') && isReady(baseUrl);
  service = new TestProcess({ app: 'standalone', cwd: folder, env: ports, ready });
  await service.start();
  // Reason for the assertion: the file's content is specified (docs/decisions/configuration-and-start.md).
  const access = JSON.parse(await readFile(join(folder, '.parley', 'sandbox.json'), 'utf8')) as Record<string, string>;
  const user = new TestClient(baseUrl, access['partnerKey'] ?? '', access['userToken'] ?? '', access['userId'] ?? '');
  // Creates a wallet, because its key is sealed.
  await user.post('/wallet');
}, startedWithinMs);

afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

async function doctor(env: Record<string, string>): Promise<{ code: number | null; findings: readonly Finding[] }> {
  const { code, stdout } = await parley({ ...ports, ...env }, ['doctor', '--json'], folder);
  // Reason for the assertion: the output of `--json` is checked below.
  return { code, findings: (JSON.parse(stdout) as { data: readonly Finding[] }).data };
}

const badOf = (findings: readonly Finding[]): readonly string[] =>
  findings.filter(({ state }) => state === 'bad').map(({ what, says }) => `${what}: ${says}`);

it('finds everything of a healthy deployment, and ends with 0', async () => {
  const { code, findings } = await doctor({});
  expect([code, badOf(findings)]).toEqual([0, []]);
  const looked = [
    'settings',
    'node',
    'disk',
    'database',
    'clock',
    'secret key',
    'keys of words',
    'event store',
    'stores',
    'identity provider',
    'service',
  ];
  expect(findings.map(({ what }) => what)).toEqual(looked);
  expect(findings.find(({ what }) => what === 'secret key')).toMatchObject({
    state: 'ok',
    says: 'opens what is sealed',
  });
});

it('names each setting that is wrong, and goes on with what can be looked at', async () => {
  const { code, findings } = await doctor({ EXECUTION_CAPACITY: '0', BUDGET_DAY_CENTS: 'much' });
  expect([code, badOf(findings)]).toEqual([
    1,
    [expect.stringContaining('settings: EXECUTION_CAPACITY'), expect.stringContaining('settings: BUDGET_DAY_CENTS')],
  ]);
});

it('says what to do about a secret key of other data', async () => {
  const { code, findings } = await doctor({ PARLEY_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') });
  expect([code, badOf(findings)]).toEqual([
    1,
    ['secret key: PARLEY_SECRET_KEY does not open what is sealed here: set the one that it was sealed with'],
  ]);
});

it('says what to do about stores and issuers that do not answer', async () => {
  const [nobody] = await freePorts(1);
  const { code, findings } = await doctor({
    DATABASE_URL: `postgres://parley@127.0.0.1:${nobody}/parley`,
    EVENTSTORE_URL: `esdb://127.0.0.1:${nobody}?tls=false`,
    OIDC_ISSUER: `http://127.0.0.1:${nobody}/issuer`,
    OIDC_AUDIENCE: 'parley',
  });
  expect([code, badOf(findings)]).toEqual([
    1,
    [
      expect.stringMatching(/^database: PostgreSQL does not answer .* start it, or correct DATABASE_URL$/),
      'event store: does not answer: start it, or correct EVENTSTORE_URL',
      expect.stringMatching(/^identity provider: http.* does not answer with its keys/),
    ],
  ]);
});

it('names a restore that was cut off', async () => {
  await mkdir(join(folder, 'cut-off', 'restoring'), { recursive: true });
  const { code, findings } = await doctor({ PARLEY_DATA_DIR: join(folder, 'cut-off') });
  expect([code, badOf(findings)]).toEqual([1, [expect.stringContaining('was cut off: run parley restore again')]]);
});
