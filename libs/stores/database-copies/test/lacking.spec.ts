import { ensureSecrets } from '@app/data-folder';
import { restoreBackup, type GivenKeys } from '@app/database-copies';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const texts = ['It rained.', 'It snowed.'];
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
const [rained = '', snowed = ''] = texts.map(hashOf);
const noTable = { columns: 'id', rows: 0, content: '0 0', sha256: hashOf('') };
const placeOf = (hash: string) => join('artifacts', hash.slice(0, 2), hash);

let folder: string;
let from: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-lacking-'));
  from = join(folder, 'backup');
  for (const text of texts) await put(placeOf(hashOf(text)), text);
  await ensureSecrets(from);
  await describeBackup({});
});
afterEach(() => rm(folder, { recursive: true }));

async function put(place: string, text: string): Promise<void> {
  await mkdir(dirname(join(from, place)), { recursive: true });
  await writeFile(join(from, place), text);
}

/** Writes the manifest of a backup without tables. */
async function describeBackup(changed: object): Promise<void> {
  const counts = { events: 0, position: 0, artifacts: texts.length, secrets: true };
  const manifest = { format: 2, takenAt: '2026-11-25T12:00:00.000Z', migrations: [], tables: [], ...counts };
  await put('backup.json', JSON.stringify({ ...manifest, ...changed }));
}

const lose = (place: string) => rm(join(from, place), { recursive: true });

/** Restores the backup up to its first write to the database: only a backup that lacks nothing gets there. */
async function restoring(hasSecretKey = false, keys: GivenKeys = 'unsaid'): Promise<unknown> {
  const makeTables = () => Promise.reject(new Error('all of it was checked'));
  const dataDir = join(folder, 'restored');
  const onProgress = () => () => undefined;
  return restoreBackup({ from, dataDir, hasSecretKey, keys, migrations: [], makeTables, mark: [] }, onProgress);
}

describe('a backup that is not whole is refused before anything is written', () => {
  it.each([
    [
      'an artifact is missing',
      () => lose(placeOf(rained)),
      /artifacts holds 1 artifacts, and the backup was taken with 2: take another copy of the backup$/,
    ],
    [
      'all artifacts are missing',
      () => lose('artifacts'),
      /artifacts holds 0 artifacts, and the backup was taken with 2/,
    ],
    [
      'an artifact was changed',
      () => put(placeOf(snowed), 'It hailed.'),
      /the artifact .+ is damaged: take another copy/,
    ],
    ['it holds one more artifact', () => put(placeOf(hashOf('x')), 'x'), /holds 3 artifacts, .+ taken with 2/],
    [
      'an artifact is in another place',
      () => put(join('artifacts', 'zz', rained), 'x'),
      /zz.+” is not part of the backup/,
    ],
    [
      'it holds a strange file',
      () => put(join('artifacts', 'mine'), 'x'),
      /mine” is not part of the backup: move it out/,
    ],
    [
      'a file has a name of several lines',
      () => put(join('artifacts', 'x\nrestored: all of it'), 'x'),
      /^“[^\n]+x\\u000arestored: all of it” is not part of the backup/,
    ],
    [
      'it holds a table that it was not taken of',
      () => put(join('tables', 'public.more.copy.gz'), 'x'),
      /public\.more\.copy\.gz” is not part of the backup/,
    ],
    [
      'its secrets are missing',
      () => lose('secrets.json'),
      /secrets\.json is missing, .+: take another copy of the backup, or set PARLEY_SECRET_KEY to that key$/,
    ],
    ['its secrets are damaged', () => put('secrets.json', '{'), /secrets\.json is damaged: take another copy/],
    [
      'it holds secrets that it was not taken with',
      () => describeBackup({ secrets: false }),
      /secrets\.json” is not part of the backup/,
    ],
    [
      'a migration has a name of several lines',
      () => describeBackup({ migrations: ['x\nrestored: all of it'] }),
      /^the backup has migrations that this version does not know \(“x\\u000arestored: all of it”\): use a newer version$/,
    ],
    [
      'the file of a table with a name of several lines is missing',
      () => describeBackup({ tables: [{ ...noTable, table: 'public."x\nrestored: all of it"' }] }),
      /^“[^\n]+x\\u000arestored: all of it[^\n]+” cannot be read \(ENOENT\): take another copy of the backup$/,
    ],
    [
      'it was taken at no time',
      () => describeBackup({ takenAt: 'noon\nrestored: all of it' }),
      /backup\.json is not what was written/,
    ],
    ['its manifest counts nonsense', () => describeBackup({ artifacts: 1.5 }), /backup\.json is not what was written/],
  ])('where %s', async (_, change, words) => {
    await change();
    await expect(restoring()).rejects.toThrow(words);
    expect(existsSync(join(folder, 'restored'))).toBe(false);
  });
});

describe('the keys of a backup that has them apart', () => {
  const id = '0d0c8a8e-5b0c-4a5e-9b0c-0f3c2b7d9e11';
  const file = () => join(folder, 'keys');
  const written = `${JSON.stringify({ keys: 1, backup: id })}\nrows`;
  const keys = { ...noTable, table: 'public.sealing_keys', sha256: hashOf(written) };
  beforeEach(() => describeBackup({ format: 3, id, keys }));

  it('are checked', async () => {
    await writeFile(file(), written);
    await expect(restoring(false, { file: file() })).rejects.toThrow('all of it was checked');
  });

  it('may be given up', async () => {
    await expect(restoring(false, 'none')).rejects.toThrow('all of it was checked');
  });

  it.each([
    ['nobody says where they are', 'unsaid', /in a file of their own: name it with --keys-from, or say --without-keys/],
    ['their file is missing', written.slice(0, 0), /keys” cannot be read \(ENOENT\): name the file that --keys-to/],
    ['their file was cut', written.slice(0, -1), /keys” is not what was written/],
    ['their file was altered', written.replace('rows', 'rowz'), /keys” is not what was written/],
    ['their file is cut in its first line', '{"keys":1,', /keys” is not what was written/],
    [
      'they are those of another backup',
      written.replace(/0d0c/, '1d0c'),
      /holds the keys of another backup \(1d0c[0-9a-f-]+\): name the file that was written with this one \(0d0c/,
    ],
  ])('are refused where %s', async (_, text, words) => {
    if (text !== 'unsaid' && text !== '') await writeFile(file(), text);
    await expect(restoring(false, text === 'unsaid' ? text : { file: file() })).rejects.toThrow(words);
    expect(existsSync(join(folder, 'restored'))).toBe(false);
  });

  it.each([
    ['nothing names them', { id, keys: undefined, tables: [keys] }],
    ['they are named twice', { id, keys, tables: [keys] }],
    ['they are another table', { id, keys: { ...keys, table: 'public.runs' } }],
    ['the backup has no name', { id: 'x\nrestored: all of it', keys }],
    ['the format has none', { format: 2, keys }],
  ])('are refused where %s', async (_, change) => {
    await describeBackup({ format: 3, ...change });
    await expect(restoring(false, 'none')).rejects.toThrow(/backup\.json is not what was written/);
  });

  it('are not asked for where it was taken without', async () => {
    await describeBackup({ format: 3, id, keys: null });
    await expect(restoring(false, 'none')).rejects.toThrow('all of it was checked');
    for (const given of ['unsaid', { file: file() }] as const)
      await expect(restoring(false, given)).rejects.toThrow('the backup was taken without the keys of its words');
  });

  it('are among the tables of an earlier backup, and nowhere else', async () => {
    await describeBackup({});
    for (const given of ['none', { file: file() }] as const)
      await expect(restoring(false, given)).rejects.toThrow('leave out --keys-from and --without-keys');
  });
});

it('needs no secrets in a backup where the environment has the key', async () => {
  await lose('secrets.json');
  await expect(restoring(true)).rejects.toThrow('all of it was checked');
});

it('restores a backup that lacks nothing, with and without artifacts', async () => {
  await expect(restoring()).rejects.toThrow('all of it was checked');
  await lose('artifacts');
  await describeBackup({ artifacts: 0 });
  await expect(restoring()).rejects.toThrow('all of it was checked');
});
