/** A witness stores its state before it signs, as the only process on the folder, and permanently. */
import { mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestLog } from '@app/testing/logs';
import { FolderInUse, KeyRefused, openWitness, type WitnessOptions } from '../src';
import { keyOf, serveWitness } from './served';

let folder: string;
let log: TestLog;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-witness-'));
  log = TestLog.create();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const open = (given: Partial<WitnessOptions> = {}) =>
  openWitness({
    folder,
    name: 'witness.example/w1',
    logs: [keyOf(log.verifierKey)],
    onNews: () => undefined,
    ...given,
  });
const served = () => serveWitness({ logs: [log.verifierKey], folder });

describe('its key', () => {
  it('is made once, for its owner only', async () => {
    const first = await open();
    expect((await stat(join(folder, 'key.json'))).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o077).toBe(0);
    await first.close();
    const again = await open({ name: undefined });
    expect(again.key).toBe(first.key);
    await again.close();
  });

  it('has the name that it was made with', async () => {
    await (await open()).close();
    await expect(open({ name: 'other.example' })).rejects.toThrow(KeyRefused);
    await rm(join(folder, 'key.json'));
    await expect(open({ name: undefined })).rejects.toThrow('--name is needed');
    await expect(open({ name: 'two words' })).rejects.toThrow(KeyRefused);
  });

  it.each(['', '{', '{"name":"witness.example/w1","seed":"short"}'])(
    'is not made anew where it is damaged: %j',
    async (text) => {
      await (await open()).close();
      await writeFile(join(folder, 'key.json'), text);
      await expect(open()).rejects.toThrow(/is damaged/);
    },
  );
});

it('has its folder alone', async () => {
  const first = await open();
  await expect(open()).rejects.toThrow(FolderInUse);
  await expect(open()).rejects.toThrow(`in use by process ${process.pid}`);
  await first.close();
  await (await open()).close();
});

describe('what it signed', () => {
  const state = async () => join(folder, 'logs', `${await hashOf(log.origin)}.json`);
  const hashOf = async (origin: string): Promise<string> =>
    Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(origin))).toString('hex');

  it('is known again', async () => {
    const first = await served();
    await first.submit(log.submission(0, 9));
    const path = `/${await hashOf(log.origin)}/checkpoint`;
    const shown = await first.get(path);
    await first.stop();
    const again = await served();
    expect(await again.get(path)).toEqual(shown);
    expect(await again.submit(log.submission(0, 12))).toMatchObject({ status: 409, body: '9\n' });
    await again.stop();
  });

  it.each(['', '{', '{"note":"","seconds":1}'])('is never forgotten where it is damaged: %j', async (text) => {
    const first = await served();
    await first.submit(log.submission(0, 9));
    await first.stop();
    await writeFile(await state(), text);
    await expect(open()).rejects.toThrow(`cannot know what it signed of ${log.origin}`);
  });

  it('is that of its own log', async () => {
    const other = TestLog.create();
    const both = await serveWitness({ logs: [log.verifierKey, other.verifierKey], folder });
    await both.submit(log.submission(0, 9));
    expect((await both.submit(other.forkedAt(0).submission(0, 4))).status).toBe(200);
    await both.stop();
    await writeFile(await state(), await readFile(join(folder, 'logs', `${await hashOf(other.origin)}.json`)));
    await expect(open()).rejects.toThrow('is damaged');
  });

  it('nothing, where nothing can be kept', async () => {
    const witness = await served();
    await witness.submit(log.submission(0, 9));
    await rename(join(folder, 'logs'), join(folder, 'away'));
    await writeFile(join(folder, 'logs'), '');
    expect(await witness.submit(log.forkedAt(9).submission(9, 12))).toMatchObject({ status: 500, body: 'failed\n' });
    expect(witness.errors).toHaveLength(1);
    await rm(join(folder, 'logs'));
    await rename(join(folder, 'away'), join(folder, 'logs'));
    expect((await witness.submit(log.submission(9, 12))).status).toBe(200);
    await witness.stop();
  });
});

describe('submissions at once', () => {
  it('of two histories: one of them is signed', async () => {
    const witness = await served();
    await witness.submit(log.submission(0, 5));
    for (let [size, history] = [5, log]; size < 25; size += 1) {
      const forks: readonly [TestLog, TestLog] = [history, history.forkedAt(size)];
      const bodies = [0, 1, 0, 1].map((at) => forks[at === 0 ? 0 : 1].submission(size, size + 1));
      const answers = await Promise.all(bodies.map((body) => witness.submit(body)));
      const [ofFirst, ofSecond] = [0, 1].map((at) => answers.filter((_, index) => index % 2 === at));
      const signed = (all: typeof answers | undefined) => all?.some(({ status }) => status === 200);
      expect([signed(ofFirst), signed(ofSecond)].sort()).toEqual([false, true]);
      if (signed(ofSecond) === true) history = forks[1];
    }
    await witness.stop();
  });

  it('of many sizes: it never goes back', async () => {
    const witness = await served();
    await witness.submit(log.submission(0, 5));
    const sizes = Array.from({ length: 40 }, (_, at) => 6 + ((at * 17) % 40));
    const answers = await Promise.all(sizes.map((size) => witness.submit(log.submission(5, size))));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const signed = sizes[answers.findIndex(({ status }) => status === 200)];
    expect(await witness.submit(log.submission(0, 60))).toMatchObject({ status: 409, body: `${signed}\n` });
    await witness.stop();
  });
});

it('says which logs it signed and does not serve', async () => {
  const first = await served();
  await first.submit(log.submission(0, 9));
  await first.stop();
  const news: unknown[] = [];
  const openFor = (logs: readonly string[]) =>
    openWitness({ folder, logs: logs.map(keyOf), onNews: (...one) => news.push(one) });
  for (const logs of [[], [TestLog.create('other.example/log').verifierKey]]) {
    const again = await openFor(logs);
    expect(again.unserved).toEqual([log.origin]);
    await again.close();
    expect(news.splice(0)).toEqual([
      ['warn', 'logs that were signed here are answered 404: no --log gives their keys', { unserved: [log.origin] }],
    ]);
  }
  const whole = await openFor([log.verifierKey]);
  expect([whole.unserved, news]).toEqual([[], []]);
  await whole.close();
});
