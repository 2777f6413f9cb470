/** A witness that is killed at any line never signs two contradictory trees of a log. */
import { createHash, randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TestLog } from '@app/testing/logs';
import { freePorts, TestProcess } from '@app/testing/processes';
import { until } from '@app/testing/until';

const rounds = 24;
/** More than the number of calls with which a submission touches files. */
const stepsMax = 16;

let folder: string;
let port: number;
let log: TestLog;
let witness: TestProcess;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-witness-'));
  [port = 0] = await freePorts(1);
  log = TestLog.create();
  const ready = (output: string): boolean => output.includes('Witness ready');
  const env = { WITNESS_NAME: 'w.example', WITNESS_LOGS: log.verifierKey, WITNESS_DIR: folder, PORT: String(port) };
  witness = new TestProcess({ app: 'witness', env, ready });
});
afterEach(async () => {
  await witness.kill();
  await rm(folder, { recursive: true, force: true });
});

/** Returns the status, or null if the witness died before it answered. */
async function submit(body: string): Promise<number | null> {
  const answer = fetch(`http://127.0.0.1:${port}/add-checkpoint`, { method: 'POST', body });
  return answer.then(
    ({ status }) => status,
    () => null,
  );
}

/** The size and root of the checkpoint that the witness shows. */
async function shown(): Promise<{ size: number; root: string }> {
  const hash = createHash('sha256').update(log.origin).digest('hex');
  const text = await (await fetch(`http://127.0.0.1:${port}/${hash}/checkpoint`)).text();
  const [, size, root = ''] = text.split('\n');
  return { size: Number(size), root };
}

const isOf = (history: TestLog, { size, root }: { size: number; root: string }): boolean =>
  Buffer.from(history.root(size)).toString('base64') === root;

it('killed before each call that touches a file', async () => {
  await witness.start();
  expect(await submit(log.submission(0, 5))).toBe(200);
  let [history, size, kills] = [log, 5, 0];
  for (let step = 1; step <= stepsMax; step += 1) {
    await witness.kill();
    await witness.start({
      KILL_AT_STEP: String(step),
      NODE_OPTIONS: `--require ${join(__dirname, 'kill-at-step.cjs')}`,
    });
    const fork = history.forkedAt(size);
    const answered = await submit(history.submission(size, size + 1));
    if (answered === null) kills += 1;
    await witness.kill();
    await witness.start();
    // The witness has either recorded this history or neither of them; it never signs the other one afterwards.
    const kept = await shown();
    const other = await submit(fork.submission(kept.size, size + 1, kept.size === size ? undefined : []));
    expect(other).toBe(kept.size === size ? 200 : 422);
    if (answered === 200) expect(kept.size).toBe(size + 1);
    if (other === 200) history = fork;
    size += 1;
    expect(isOf(history, await shown())).toBe(true);
  }
  expect(kills).toBeGreaterThan(5);
});

it(`killed ${rounds} times between and in requests of two histories`, async () => {
  await witness.start();
  expect(await submit(log.submission(0, 5))).toBe(200);
  let [history, size] = [log, 5];
  for (let round = 0; round < rounds; round += 1) {
    const histories = [history, history.forkedAt(size)];
    const signed = new Set<number>();
    let isOver = false;
    const asking = histories.map(async (one, at) => {
      for (let next = size; !isOver;) {
        const status = await submit(one.submission(next, next + 1));
        if (status === 200) signed.add(at);
        if (status === 200) next += 1;
        else if (status === 422) return;
      }
    });
    // Every other round, something is signed before the kill, however crowded the machine is.
    if (round % 2 === 0) await until('a signature', async () => (signed.size > 0 ? true : null));
    await sleep(randomInt(250));
    await witness.kill();
    isOver = true;
    await Promise.all(asking);
    await witness.start();
    const kept = await shown();
    const is = histories.map((one) => isOf(one, kept));
    expect([signed.size <= 1, is.includes(true)]).toEqual([true, true]);
    for (const at of signed) expect(is[at]).toBe(true);
    history = histories[is.indexOf(true)] ?? history;
    size = kept.size;
  }
  expect(size).toBeGreaterThanOrEqual(5 + rounds / 2);
});
