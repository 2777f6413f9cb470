/**
 * The worker that builds the log is killed again and again: the witness sees one history, and signs each new
 * checkpoint.
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDeployment, type Deployment } from '@app/testing/deployment';
import { freePorts } from '@app/testing/processes';
import { until } from '@app/testing/until';
import { openCheckpoint, parseVerifierKey, type VerifierKey } from '@app/transparency';
import { openWitness, witnessServer } from '@app/witness';
import { Client } from 'pg';

const rounds = 6;
const undo: (() => Promise<unknown>)[] = [];
let folder: string;
let deployment: Deployment;
let admin: Client;
let witnessKey: VerifierKey;
let logKey: VerifierKey;

function keyOf(text: string): VerifierKey {
  const key = parseVerifierKey(text.trim());
  if (key === null) throw new Error(`no key: ${text}`);
  return key;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-witness-'));
  undo.push(() => rm(folder, { recursive: true, force: true }));
  const options = { folder, name: 'w.example', onNews: () => undefined };
  const first = await openWitness({ ...options, logs: [] });
  await first.close();
  witnessKey = keyOf(first.key);
  const [port = 0] = await freePorts(1);
  const env = { WITNESSES: `${first.key} http://127.0.0.1:${port}`, WITNESSES_NEEDED: '1', LOG_LEVEL: 'silent' };
  deployment = await startDeployment({ mode: 'processes', replicas: { worker: 2 }, env });
  undo.push(() => deployment.stop());
  admin = new Client({ connectionString: deployment.databaseUrl });
  await admin.connect();
  await deployment.newUser();
  logKey = keyOf(await asked('key', async (answer) => (answer.ok ? answer.text() : null)));
  const witness = await openWitness({ ...options, logs: [logKey] });
  const server = witnessServer(witness, options.onNews);
  await server.listen({ host: '127.0.0.1', port });
  undo.push(async () => {
    await server.close();
    await witness.close();
  });
});
// Closed before the deployment's database is dropped.
afterEach(() => admin.end());
afterAll(async () => {
  for (let step = undo.pop(); step !== undefined; step = undo.pop()) await step();
});

/** Repeats the request until the answer is accepted, and requests a signed checkpoint each time. */
async function asked<Value>(path: string, good: (answer: Response) => Promise<Value | null>): Promise<Value> {
  return until(path, async () => {
    await admin.query("SELECT pg_notify('parley_checkpoint_wanted', '')");
    return good(await fetch(`${deployment.baseUrls[0]}/transparency/${path}`));
  });
}

/** The size of the newest checkpoint that the witness signed, once it exceeds `size`. */
async function witnessedBeyond(size: number): Promise<number> {
  return asked('checkpoint', async (answer) => {
    const policy = { log: [logKey], witnesses: [witnessKey], needed: 1 };
    const checkpoint = openCheckpoint(await answer.text(), policy);
    if (typeof checkpoint === 'string') throw new Error(checkpoint);
    return checkpoint.isWitnessed && checkpoint.size > size ? checkpoint.size : null;
  });
}

it(`goes on ${rounds} times`, async () => {
  let size = await witnessedBeyond(0);
  for (let round = 0; round < rounds; round += 1) {
    const worker = deployment.workers[round % 2];
    const users = [deployment.newUser(), deployment.newUser()];
    await worker?.kill();
    await Promise.all(users);
    size = await witnessedBeyond(size);
    await worker?.start();
  }
  expect(await readdir(folder)).not.toContain('evidence');
});
