/** Data of earlier versions: this version restores it, starts on it, gives the answers that they gave, and continues. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestClient } from '@app/testing/client';
import { conversationOf, holdings, start, untilEnded } from '@app/testing/journeys';
import { until } from '@app/testing/until';
import { freePorts, isReady, TestProcess } from '@app/testing/processes';
import { jsonOf, parley } from './cli';

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
    const kept = await versions();
    expect(kept).toContain('0.2.0-pre');
    for (const version of kept) await goOnFrom(version);
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
  jsonOf(await parley(env, ['restore', '--from', join(keptFolder, version, 'backup'), '--json'], folder));
  const ready = async (output: string): Promise<boolean> => output.includes('is ready') && isReady(baseUrl, true); // a restored log is held
  const service = new TestProcess({ app: 'standalone', cwd: folder, env, ready });
  await service.start();
  try {
    const resume = ['audit', 'resume', '--as', 'successor', '--reason', 'the other one is gone', '--yes', '--json'];
    jsonOf(await parley(env, resume, folder));
    const {
      userId,
      holdings: held,
      answers,
    } = JSON.parse(await readFile(join(keptFolder, version, 'answers.json'), 'utf8')) as Kept; // as keep.mjs wrote it
    const access = JSON.parse(await readFile(join(folder, version, 'sandbox.json'), 'utf8')) as Record<string, string>; // as specified
    const user = new TestClient(baseUrl, access['partnerKey'] ?? '', access['userToken'] ?? '', userId);
    // A later version may add members to an answer.
    for (const [path, answer] of Object.entries(answers)) expect((await user.get(path)).body).toMatchObject(answer);
    expect(await holdings(user)).toEqual(held);
    const { body } = await start(user, await conversationOf(user));
    expect(await untilEnded(user, body.runId)).toMatchObject({ status: 'completed' });
    await coversAll(baseUrl, env, await eventsKept(version));
  } finally {
    await service.stop();
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
