import { ensureSecrets } from '@app/data-folder';
import { restoreBackup } from '@app/database-copies';
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
async function restoring(hasSecretKey = false): Promise<unknown> {
  const makeTables = () => Promise.reject(new Error('all of it was checked'));
  const dataDir = join(folder, 'restored');
  const onProgress = () => () => undefined;
  return restoreBackup({ from, dataDir, hasSecretKey, migrations: [], makeTables, mark: [] }, onProgress);
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
