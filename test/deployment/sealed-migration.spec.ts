/** A store of before the sealing is copied, and the words in it are sealed on the way: nothing else changes, and nothing is lost. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectEventStore, encodeEvent, EventStore } from '@app/event-store';
import { findRunningStores } from '@app/data-folder';
import { Client } from 'pg';
import { counted, counterKind, someCause } from '@app/testing/deciders';
import { requestJson, TestClient } from '@app/testing/client';
import {
  approve,
  asking,
  defined,
  giveInput,
  holdings,
  prepare,
  prompt,
  start,
  untilEnded,
  untilFired,
  usdc,
  outcomeOf,
} from '@app/testing/journeys';
import { verifyReceipt } from '@app/receipts';
import { freePorts, isReady, TestProcess } from '@app/testing/processes';
import { parseVerifierKey } from '@app/transparency';
import { until } from '@app/testing/until';
import { jsonOf, parley, parleyMain } from './cli';
import { rowsIn, storeAsBefore, storeSide, textsIn, type StoreSide } from './migration-stage';

const fillers = 120;
const killedAt = [0.2, 0.6, 0.95, 1];
const startedWithinMs = 120_000;
/** The word that a person says everywhere. */
const word = 'Zwetschgenkuchen';

let folder: string;
let dataDir: string;
let baseUrl: string;
let ports: Record<string, string>;
let before: StoreSide;
let target: StoreSide;
let service: TestProcess;
let user: TestClient;
let automationId: string;
let approvalId: string;
let withWords: number;
let answers: Record<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-sealed-'));
  dataDir = join(folder, '.parley');
  const [port, managementPort] = await freePorts(2);
  ports = { PORT: String(port), MANAGEMENT_PORT: String(managementPort), RATE_LIMIT_USER_PER_MINUTE: '1000000' };
  baseUrl = `http://127.0.0.1:${port}`;
  [before, target] = await Promise.all([storeSide(), storeSide()]);
  service = standalone({});
  await service.start();
  user = await demoUser();
  await live();
  answers = await everything();
  await service.stop();
  const snapshot = `INSERT INTO snapshots VALUES ('conversation-x', 1, 3, '{"title":"${word}"}')`;
  withWords = await storeAsBefore(dataDir, before.url, snapshot);
}, 3 * startedWithinMs);

afterAll(async () => {
  await service.stop();
  await Promise.all([before.close(), target.close()]);
  await rm(folder, { recursive: true, force: true });
});

function standalone(env: Record<string, string>): TestProcess {
  const ready = async (output: string): Promise<boolean> => output.includes('is ready') && isReady(baseUrl);
  return new TestProcess({ app: 'standalone', cwd: folder, env: { LOG_LEVEL: 'warn', ...ports, ...env }, ready });
}

async function demoUser(): Promise<TestClient> {
  // Reason for the assertion: the file's content is specified (docs/decisions/configuration-and-start.md).
  const access = JSON.parse(await readFile(join(dataDir, 'sandbox.json'), 'utf8')) as Record<string, string>;
  return new TestClient(baseUrl, access['partnerKey'] ?? '', access['userToken'] ?? '', access['userId'] ?? '');
}

/** Says the word wherever a person can say something. */
async function live(): Promise<void> {
  await requestJson('PUT', `${baseUrl}/sandbox/v1/faults`, { model: { delayMs: 0 }, provider: prompt });
  await user.post('/wallet');
  const { body: conversation } = await user.post<{ id: string }>('/conversations', { title: `${word} title` });
  const { body: said } = await start(user, conversation.id, `repeat after me: ${word} said`);
  await untilEnded(user, said.runId);
  await user.request('PATCH', `/conversations/${conversation.id}`, { title: `${word} renamed` });
  const asked = await asking(user, conversation.id, 'withdraw 1.5 USDC');
  approvalId = asked.approval.id;
  await approve(user, asked.approval);
  await untilEnded(user, asked.runId);
  await outcomeOf(user, approvalId);
  const denied = await prepare(user, usdc, '2000000');
  await user.post(`/approvals/${denied.approvalId}/deny`, { reason: `${word} denied` });
  automationId = (await defined(user, { name: `${word} rule`, prompt: `repeat after me: ${word} fired` })).id;
  await giveInput(user, automationId, 'signal');
  await untilFired(user, automationId, 1);
  for (let made = 0; made < fillers; made += 1) await user.post('/conversations', { title: `${word} ${made}` });
}

async function everything(): Promise<Record<string, string>> {
  const text = async (path: string): Promise<string> => (await fetch(user.url(path), { headers: user.headers })).text();
  const lists = ['/conversations?limit=100', '/agent-runs?limit=50', '/approvals?limit=100', '/automations', '/budget'];
  const { body } = await user.get<{ data: { conversationId: string }[] }>('/agent-runs?limit=50');
  const journals = body.data.map(({ conversationId }) => `/conversations/${conversationId}/events`);
  const automation = [`/automations/${automationId}`, `/automations/${automationId}/occurrences`];
  const found: [string, string][] = [['holdings', JSON.stringify(await holdings(user))]];
  for (const path of [...lists, ...automation, ...new Set(journals)]) found.push([path, await text(path)]);
  return Object.fromEntries(found);
}

const sealing = (to = target.url): string[] => ['migrate-events', '--seal', '--from', before.url, '--to', to];

/** Starts the copy, and kills it once the target holds this many events. */
async function killedMigration(events: number): Promise<void> {
  const args = [parleyMain, ...sealing()];
  const child = spawn(process.execPath, args, { cwd: folder, env: { PATH: process.env['PATH'] }, stdio: 'ignore' });
  const ended = once(child, 'exit');
  await until(
    `${events} events`,
    async () => (child.exitCode !== null || (await textsIn(target.url)).length >= events ? true : null),
    startedWithinMs,
  );
  child.kill('SIGKILL');
  await ended;
}

interface Sealed {
  readonly target: string;
  readonly events: number;
  readonly sha256: string;
  readonly sealed: number;
  readonly log: string;
}

describe('parley migrate-events --seal', () => {
  let sealed: Sealed;

  it('copies nothing where every word is sealed already', async () => {
    const outcome = await parley({}, ['migrate-events', '--seal', '--to', target.url], folder);
    expect(outcome).toMatchObject({ code: 0, stdout: expect.stringMatching(/^No event has words in clear/) });
    expect(await textsIn(target.url)).toEqual([]);
  });

  it('refuses a target that has other events, and one with the clear copies of these', async () => {
    expect((await textsIn(before.url)).filter((text) => text.includes(word)).length).toBeGreaterThan(fillers);
    const other = await storeSide();
    const foreign = new EventStore(connectEventStore(other.url));
    await foreign.append('counter-1', [encodeEvent(counterKind, counted(1), someCause())], -1);
    await foreign.dispose();
    const refused = { code: 1, stderr: expect.stringContaining('the target is not a copy of the source') };
    expect(await parley({}, sealing(other.url), folder)).toMatchObject(refused);
    await other.close();
    expect(await parley({}, sealing(before.url), folder)).toMatchObject(refused);
  });

  it('goes on after kill -9, however often, and seals each event once', async () => {
    const source = await textsIn(before.url);
    for (const part of killedAt) await killedMigration(Math.floor(source.length * part));
    const outcome = await parley({}, [...sealing(), '--json'], folder);
    sealed = jsonOf<Sealed>(outcome);
    expect(sealed).toMatchObject({ events: source.length, sealed: withWords, log: expect.stringMatching(/^parley\//) });
    const copies = await textsIn(target.url);
    expect(copies).toHaveLength(source.length + 1);
    expect(copies.at(-1)).toMatch(/^audit-checkpoints .*"log\.resumed"/);
    expect(copies.filter((text) => text.includes(word))).toEqual([]);
    expect(copies.filter((text) => text.includes('"sealed":{"key":'))).toHaveLength(withWords);
    console.log(`migrate-events --seal: ${source.length} events, ${withWords} sealed, killed ${killedAt.length} times`);
  }, 900_000);

  it('leaves no word in the rows of the database', async () => {
    expect((await rowsIn(dataDir)).split('\n').filter((row) => row.includes(word))).toEqual([]);
  });

  it('is what parley doctor asks for, while words are in clear', async () => {
    const found = async ({ url, database }: StoreSide) => {
      const env = { EVENTSTORE_URL: url, DATABASE_URL: database.url };
      const { stdout } = await parley(env, ['doctor', '--json'], folder);
      // Reason for the assertion: the shape of `--json` is tested in doctor.spec.ts.
      const { data } = JSON.parse(stdout) as { data: readonly { what: string; says: string }[] };
      return data.flatMap(({ what, says }) => (what === 'words' ? [says] : []));
    };
    expect(await found(before)).toEqual([expect.stringContaining(`${withWords} of its first 2000 events`)]);
    expect(await found(target)).toEqual([]);
  });

  it('says that nothing was left to do when it runs again', async () => {
    const again = await parley({}, sealing(), folder);
    expect(again).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Nothing was left to do/) });
    expect(jsonOf(await parley({}, [...sealing(), '--json'], folder))).toEqual(sealed);
  });

  it('leaves every answer as it was', async () => {
    service = standalone({ EVENTSTORE_URL: target.url });
    await service.start();
    const after = await until('the read models', async () => {
      const found = await everything();
      return JSON.stringify(found) === JSON.stringify(answers) ? found : null;
    }).catch(() => everything());
    expect(after).toEqual(answers);
  });

  it('lets the automation go on, and receipts of before hold', async () => {
    await requestJson('PUT', `${baseUrl}/sandbox/v1/faults`, { model: { delayMs: 0 }, provider: prompt });
    await giveInput(user, automationId, 'signal');
    await untilFired(user, automationId, 2);
    const receipt = await until('a whole receipt', async () => {
      const { body } = await user.get<{ proof: { complete: boolean } }>(`/approvals/${approvalId}/receipt`);
      return body.proof.complete ? body : null;
    });
    const key = parseVerifierKey((await (await fetch(`${baseUrl}/transparency/key`)).text()).split('\n')[0] ?? '');
    if (key === null) throw new Error('the log has no key');
    const trust = { log: [key], witnesses: [], needed: 0 };
    expect(verifyReceipt(receipt, trust)).toMatchObject({ holds: true, problems: [] });
    expect(verifyReceipt({ ...receipt, approval: {} }, trust).holds).toBe(false);
  });

  it('proves the copy by its own log, and names the one of before', async () => {
    const verified = async () => {
      await wantCheckpoint();
      const { code, stdout } = await parley({ EVENTSTORE_URL: target.url }, ['audit', 'verify'], folder);
      return code === 0 && /^PROVEN: the first/m.test(stdout) ? stdout : null;
    };
    const found = await until('a checkpoint of the copy', verified);
    expect(found).toMatch(/^Before its words were sealed, this was parley\/.*: its last checkpoint is of \d+ events/m);
    expect(found).not.toContain(`this was ${sealed.log}`);
  });
});

/** Requests a checkpoint, because otherwise there is only one a minute. */
async function wantCheckpoint(): Promise<void> {
  const stores = await findRunningStores(dataDir);
  const client = new Client({ connectionString: stores?.databaseUrl });
  await client.connect();
  await client.query("SELECT pg_notify('parley_checkpoint_wanted', '')");
  await client.end();
}
