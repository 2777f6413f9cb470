/**
 * When a log shows two histories, the witness signs only one of them, reports it, and stores the proof. Junk is no proof, and mutes
 * nothing.
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TestLog } from '@app/testing/logs';
import { isContradiction, isNoteSignedBy, openCheckpoint, parseNote, sameHash } from '@app/transparency';
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

const folderOf = (): string => join(served.folder, 'evidence', hash);
const evidence = async (): Promise<string[]> => {
  const folder = folderOf();
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

it('a larger tree that does not begin with the one that was signed: 422, and its own proof shows it', async () => {
  const forked = log.forkedAt(5);
  const { body: line } = await served.submit(log.submission(0, 9));
  expect((await served.submit(forked.submission(9, 14))).status).toBe(422);
  const [file, ...more] = await evidence();
  expect(more).toEqual([]);
  expect(file).toContain('the larger one does not begin with the smaller one');
  const [signed, refused, path] = notesIn(file!);
  expect([signed, refused]).toEqual([log.note(9) + line, forked.note(14)]);
  const hashes = path!
    .trimEnd()
    .split('\n')
    .map((text) => Buffer.from(text, 'base64'));
  const root = (size: number, of: TestLog) => ({ size, root: of.root(size) });
  expect(isContradiction(root(9, log), root(14, forked), hashes)).toBe(true);
  expect(served.errors).toEqual([expect.objectContaining({ origin: log.origin, refused: forked.note(14) })]);
  expect(await served.get(`/${hash}/fork`)).toEqual({ status: 200, body: file });
});

it('a larger tree with a proof that does not hold proves nothing: 422, no evidence and no alarm', async () => {
  await served.submit(log.submission(0, 8));
  // A path cannot show that a tree of 8 is not the beginning: the path has no hash of it.
  expect((await served.submit(log.forkedAt(5).submission(8, 14))).status).toBe(422);
  expect((await served.submit(log.submission(8, 13, [...log.path(8, 13), randomBytes(32)]))).status).toBe(422);
  expect([await evidence(), served.errors]).toEqual([[], []]);
  expect(served.warnings).toEqual([expect.objectContaining({ origin: log.origin, refused: log.forkedAt(5).note(14) })]);
  expect((await served.get(`/${hash}/fork`)).status).toBe(404);
});

it('two trees of one size of which the witness signed neither, by what it was shown', async () => {
  await served.submit(log.submission(0, 9));
  await served.submit(log.submission(9, 20, []));
  await served.submit(log.forkedAt(15).submission(3, 20));
  const [file] = await evidence();
  expect(file).toContain('===== shown to this witness');
  expect(notesIn(file!)).toEqual([log.note(20), log.forkedAt(15).note(20)]);
  await served.submit(log.submission(9, 25));
  await served.submit(log.submission(25, 30));
  await served.submit(log.forkedAt(15).submission(0, 25));
  expect(await evidence()).toHaveLength(2);
});

it('junk takes no room and mutes no alarm: a fork that comes after any amount of it is kept and reported', async () => {
  await served.submit(log.submission(0, 9));
  const count = process.env['FIGURES'] === 'full' ? 5_000 : 120;
  const junk = [[], [randomBytes(32)], Array.from({ length: 63 }, () => randomBytes(32))];
  for (let nth = 0; nth < count; nth += 1) {
    const size = 10 + (nth % 119);
    const paths = [...junk, log.path(9, size).toReversed(), log.path(8, size), [...log.path(9, size), randomBytes(32)]];
    const { status } = await served.submit(log.submission(nth % 5 === 0 ? 8 : 9, size, paths[nth % paths.length]));
    expect(status === 409 || status === 422 || status === 200).toBe(true);
    if (status === 200) throw new Error(`junk was signed: ${nth}`);
  }
  expect([await readdir(join(served.folder, 'evidence')).catch(() => []), served.errors]).toEqual([[], []]);
  expect(served.warnings).toHaveLength(1);
  await served.submit(log.forkedAt(5).submission(9, 200));
  await served.submit(log.forkedAt(6).submission(9, 9, []));
  expect(await evidence()).toHaveLength(2);
  expect(served.errors).toHaveLength(2);
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

it('keeps the same fork once, a hundred of a kind, and reports each one', async () => {
  await served.submit(log.submission(0, 9));
  for (let round = 0; round < 3; round += 1) await served.submit(log.forkedAt(5).submission(9, 12));
  expect([await evidence(), served.errors]).toEqual([[expect.any(String)], [expect.any(Object)]]);
  for (let size = 10; size < 130; size += 1) if (size !== 12) await served.submit(log.forkedAt(5).submission(9, size));
  expect(await evidence()).toHaveLength(100);
  expect(served.errors).toHaveLength(120);
  // The other kind has space of its own.
  await served.submit(log.forkedAt(5).submission(9, 9, []));
  expect(await evidence()).toHaveLength(101);
  expect(served.errors).toHaveLength(121);
});

it('is reported where the disk does not take it, and kept once there is room', async () => {
  await served.submit(log.submission(0, 9));
  // A file in place of the folder: nothing can be written there.
  await mkdir(join(served.folder, 'evidence'));
  await writeFile(folderOf(), '');
  expect((await served.submit(log.forkedAt(5).submission(9, 9, []))).status).toBe(422);
  expect(served.errors).toEqual([
    expect.objectContaining({ message: 'THE LOG FORKED: two trees of one size', refused: log.forkedAt(5).note(9) }),
    expect.objectContaining({ message: expect.stringContaining('could not be written') as string }),
  ]);
  // The witness continues with the history that it signed.
  expect((await served.submit(log.submission(9, 10))).status).toBe(200);
  await rm(folderOf());
  await served.submit(log.submission(9, 10));
  expect(await evidence()).toHaveLength(1);
});

it('is reported again by the next process: the one before may have been killed before it did', async () => {
  await served.submit(log.submission(0, 9));
  await served.submit(log.forkedAt(5).submission(9, 9, []));
  await served.stop();
  const [name] = await readdir(folderOf());
  // Left by kill -9 while a file is written; the second is junk that earlier versions stored.
  await writeFile(join(folderOf(), '.same-size-0123456789abcdef.txt.unfinished'), 'The log');
  await writeFile(join(folderOf(), 'not-consistent-0123456789abcdef.txt'), 'junk');
  const again = await serveWitness({ logs: [log.verifierKey], folder: served.folder });
  expect(again.errors).toEqual([
    { message: 'THE LOG FORKED: the proof is kept', origin: log.origin, files: [join(folderOf(), name!)] },
  ]);
  expect((await again.get(`/${hash}/fork`)).body).toContain('two trees of one size');
  await again.stop();
});

it('is never made by somebody else: what the log did not sign is no evidence', async () => {
  await served.submit(log.submission(0, 9));
  await served.submit(log.withKey().forkedAt(5).submission(9, 9, []));
  expect(await evidence()).toEqual([]);
  expect(isNoteSignedBy(parseNote(log.note(9))!, log.key)).toBe(true);
});
