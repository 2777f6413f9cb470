/** Data of earlier versions: this version restores it, starts on it, gives the answers that they gave, and continues. */
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { TestClient } from '@app/testing/client';
import { conversationOf, holdings, start, untilEnded } from '@app/testing/journeys';
import { until } from '@app/testing/until';
import { freePorts, isReady, TestProcess } from '@app/testing/processes';
import { jsonOf, parley } from './cli';
import { storeSide, textsIn } from './migration-stage';

const startedWithinMs = 120_000;
const keptFolder = join(__dirname, 'released');

interface Kept {
  readonly userId: string;
  /** The holdings of the wallet, by token. */
  readonly holdings: Readonly<Record<string, string>>;
  /** The answers, by the path below the user's. */
  readonly answers: Readonly<Record<string, object>>;
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-released-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Versions whose data is kept, each in a folder made by `keep.mjs`. */
async function versions(): Promise<readonly string[]> {
  const entries = await readdir(keptFolder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

it(
  'the data of every version that is kept are restored, answered as they were, and gone on with',
  async () => {
    const known = await versions();
    expect(known).toContain('0.2.0-pre');
    for (const version of known) await goOnFrom(version);
  },
  5 * startedWithinMs,
);

async function goOnFrom(version: string): Promise<void> {
  const [port, managementPort] = await freePorts(2);
  const baseUrl = `http://127.0.0.1:${port}`;
  const env = {
    ...(JSON.parse(await readFile(join(keptFolder, 'environment.json'), 'utf8')) as Record<string, string>), // as keep.mjs reads it
    PORT: String(port),
    MANAGEMENT_PORT: String(managementPort),
    OIDC_JWKS_URI: `${baseUrl}/sandbox/issuer/jwks`,
    PARLEY_DATA_DIR: join(folder, version),
  };
  const [backup, keys] = [join(keptFolder, version, 'backup'), join(keptFolder, version, 'keys')];
  // Versions before 0.3.0 had no keys apart.
  const from = existsSync(keys) ? [backup, '--keys-from', keys] : [backup];
  jsonOf(await parley(env, ['restore', '--from', ...from, '--json'], folder));
  const ready = async (output: string): Promise<boolean> => output.includes('is ready') && isReady(baseUrl, true); // a restored log is held
  const service = new TestProcess({ app: 'standalone', cwd: folder, env, ready });
  let answered: readonly object[] = [];
  await service.start();
  try {
    const resume = ['audit', 'resume', '--as', 'successor', '--reason', 'the other one is gone', '--yes', '--json'];
    jsonOf(await parley(env, resume, folder));
    const user = await userOf(version, baseUrl);
    const { answers, holdings: held } = await kept(version);
    // A later version may add members to an answer.
    for (const [path, answer] of Object.entries(answers)) expect((await user.get(path)).body).toMatchObject(answer);
    expect(await holdings(user)).toEqual(held);
    const { body } = await start(user, await conversationOf(user));
    expect(await untilEnded(user, body.runId)).toMatchObject({ status: 'completed' });
    await coversAll(baseUrl, env, await eventsKept(version));
    answered = await answersNow(version, user);
  } finally {
    await service.stop();
  }
  await sealedFrom(version, env, baseUrl, answered);
}

async function userOf(version: string, baseUrl: string): Promise<TestClient> {
  const access = JSON.parse(await readFile(join(folder, version, 'sandbox.json'), 'utf8')) as Record<string, string>; // as specified
  const { userId } = await kept(version);
  return new TestClient(baseUrl, access['partnerKey'] ?? '', access['userToken'] ?? '', userId);
}

async function answersNow(version: string, user: TestClient): Promise<readonly object[]> {
  const found: object[] = [];
  for (const path of Object.keys((await kept(version)).answers)) found.push((await user.get(path)).body);
  return found;
}

async function kept(version: string): Promise<Kept> {
  return JSON.parse(await readFile(join(keptFolder, version, 'answers.json'), 'utf8')) as Kept; // as keep.mjs wrote it
}

/** Words that `keep.mjs` says. */
const saidThen = ['What was said', 'repeat after me', 'quoted', 'notes.txt', 'swap 1 USDC', 'not now'];

/** Seals the words of then in a copy of the events, which gives the same answers. */
async function sealedFrom(
  version: string,
  env: Readonly<Record<string, string>>,
  baseUrl: string,
  answered: readonly object[],
): Promise<void> {
  const target = await storeSide();
  const sealing = ['migrate-events', '--seal', '--to', target.url, '--json'];
  const { sealed } = jsonOf<{ sealed: number }>(await parley(env, sealing, folder));
  expect(sealed).toBeGreaterThan(0);
  expect((await textsIn(target.url)).filter((text) => saidThen.some((word) => text.includes(word)))).toEqual([]);
  const ready = async (output: string): Promise<boolean> => output.includes('is ready') && isReady(baseUrl, true);
  const on = { ...env, EVENTSTORE_URL: target.url };
  const service = new TestProcess({ app: 'standalone', cwd: folder, env: on, ready });
  await service.start();
  try {
    const user = await userOf(version, baseUrl);
    const isAsBefore = async () => isDeepStrictEqual(await answersNow(version, user), answered) || null;
    await until('the read models', isAsBefore).catch(() => undefined);
    expect(await answersNow(version, user)).toEqual(answered);
    await coversAll(baseUrl, on, await eventsKept(version));
  } finally {
    await service.stop();
    await target.close();
  }
}

async function eventsKept(version: string): Promise<number> {
  // Reason for the assertion: the shape that `backup` writes.
  const { events } = JSON.parse(await readFile(join(keptFolder, version, 'backup', 'backup.json'), 'utf8')) as {
    events: number;
  };
  return events;
}

/** The log of all events, which the earlier version did not have, covers its events from the first on. */
async function coversAll(baseUrl: string, env: Readonly<Record<string, string>>, events: number): Promise<void> {
  expect(events).toBeGreaterThan(0);
  await until('a checkpoint of all that was there', async () => {
    const response = await fetch(`${baseUrl}/transparency/checkpoint`);
    const [, size] = (await response.text()).split('\n');
    return response.ok && Number(size) >= events ? true : null;
  });
  const verified = await parley(env, ['audit', 'verify'], folder);
  expect([verified.code, verified.stdout]).toEqual([0, expect.stringMatching(/^PROVEN: /m)]);
}
