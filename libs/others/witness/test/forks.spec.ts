/** A log that shows two histories: the witness signs one of them only, and keeps the two checkpoints that show it. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TestLog } from '@app/testing/logs';
import { isNoteSignedBy, openCheckpoint, parseNote, sameHash } from '@app/transparency';
import { keyOf, serveWitness, type ServedWitness } from './served';

let log: TestLog;
let hash: string;
let served: ServedWitness;
beforeEach(async () => {
  log = TestLog.create();
  hash = createHash('sha256').update(log.origin).digest('hex');
  served = await serveWitness({ logs: [log.verifierKey] });
});
afterEach(() => served.close());

const evidence = async (): Promise<string[]> => {
  const folder = join(served.folder, 'evidence', hash);
  const names = await readdir(folder).catch(() => []);
  return Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
};

/** The two checkpoints of an evidence file. */
function notesIn(text: string): string[] {
  return text.split(/^===== .*\n/m).slice(1);
}

it('two trees of one size: 422, and both checkpoints prove it to whoever has the key of the log', async () => {
  const forked = log.forkedAt(5);
  const { body: line } = await served.submit(log.submission(0, 9));
  expect((await served.submit(forked.submission(9, 9, []))).status).toBe(422);
  const [file, ...more] = await evidence();
  expect(more).toEqual([]);
  expect(file).toContain(`The log ${log.origin} signed two trees of one size with two roots`);
  expect(notesIn(file!)).toEqual([log.note(9) + line, forked.note(9)]);
  const trusted = { log: [keyOf(log.verifierKey)], witnesses: [keyOf(served.witness.key)], needed: 0 };
  const [signed, refused] = notesIn(file!).map((note) => openCheckpoint(note, trusted));
  if (typeof signed !== 'object' || typeof refused !== 'object') throw new Error('the log signed neither');
  expect([signed.size, signed.cosignatures.length, refused.size, refused.cosignatures.length]).toEqual([9, 1, 9, 0]);
  expect(sameHash(signed.root, refused.root)).toBe(false);
  expect(served.errors).toEqual([
    expect.objectContaining({ origin: log.origin, signed: log.note(9) + line, refused: forked.note(9) }),
  ]);
  expect(await served.get(`/${hash}/fork`)).toEqual({ status: 200, body: file });
});

it('also where the sender names another old size, which is answered first', async () => {
  await served.submit(log.submission(0, 9));
  expect(await served.submit(log.forkedAt(5).submission(3, 9))).toMatchObject({ status: 409, body: '9\n' });
  expect((await evidence()).map((text) => notesIn(text)[1])).toEqual([log.forkedAt(5).note(9)]);
});

it('a larger tree that did not grow from what was signed: 422, and both are kept', async () => {
  const forked = log.forkedAt(5);
  const { body: line } = await served.submit(log.submission(0, 9));
  expect((await served.submit(forked.submission(9, 14))).status).toBe(422);
  const [file] = await evidence();
  expect(file).toContain('does not show that it grew');
  expect(notesIn(file!)).toEqual([log.note(9) + line, forked.note(14)]);
  // By itself it proves nothing: the proof may be the sender's mistake.
  expect((await served.get(`/${hash}/fork`)).status).toBe(404);
});

it('goes on with the history that it signed, also after it was started again', async () => {
  const forked = log.forkedAt(5);
  await served.submit(log.submission(0, 9));
  await served.submit(forked.submission(9, 9, []));
  expect((await served.submit(log.submission(9, 14))).status).toBe(200);
  await served.stop();
  const again = await serveWitness({ logs: [log.verifierKey], folder: served.folder });
  expect((await again.submit(forked.submission(14, 14, []))).status).toBe(422);
  expect((await again.submit(log.submission(14, 15))).status).toBe(200);
  await again.stop();
});

it('keeps the same contradiction once, and a hundred of a kind', async () => {
  await served.submit(log.submission(0, 9));
  for (let round = 0; round < 3; round += 1) await served.submit(log.forkedAt(5).submission(9, 12));
  expect(await evidence()).toHaveLength(1);
  for (let size = 10; size < 130; size += 1) await served.submit(log.forkedAt(5).submission(9, size));
  expect(await evidence()).toHaveLength(100);
  expect(served.errors).toHaveLength(100);
  // A fork that is proved finds its place besides.
  await served.submit(log.forkedAt(5).submission(9, 9, []));
  expect(await evidence()).toHaveLength(101);
});

it('is never made by somebody else: what the log did not sign is no evidence', async () => {
  await served.submit(log.submission(0, 9));
  await served.submit(log.withKey().forkedAt(5).submission(9, 9, []));
  expect(await evidence()).toEqual([]);
  expect(isNoteSignedBy(parseNote(log.note(9))!, log.key)).toBe(true);
});
