/** Places that an operator names and that cannot be used lead to one sentence with the place, never a stack, and never an endless wait. */
import { takeBackup } from '@app/database-copies';
import { makeFolder } from '@app/data-folder';
import { readConfiguration } from '@app/settings';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLogPlace } from '../src/audit/log-places';
import { describe as inWords } from '../src/terminal/outcome';

let folder: string;
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-places-'));
  file = join(folder, 'file');
  await writeFile(file, 'not a folder');
});
afterAll(() => rm(folder, { recursive: true }));

/** The description of a step's error. */
async function saidOf(step: () => Promise<unknown>): Promise<unknown> {
  return step().then(
    () => 'done',
    (error: unknown) => inWords(error),
  );
}

const places = [
  ['a file', () => file],
  ['below a file', () => join(file, 'below')],
  ['where nothing can be made', () => '/proc/parley-places'],
] as const;

describe.each(places)('a place that is %s', (_, placeOf) => {
  it('is refused by an export', async () => {
    const place = openLogPlace(readConfiguration({}), placeOf());
    const said = await saidOf(() => place.write('tile/0/000', new Uint8Array(32)));
    expect(said).toMatch(new RegExp(`^${placeOf()}\\S* cannot be written: [^\\n]+$`));
  });

  it('is refused by a backup', async () => {
    const databaseUrl = 'postgres://127.0.0.1:1/none';
    const said = await saidOf(() =>
      takeBackup({ databaseUrl, dataDir: folder, to: placeOf(), keysTo: null }, () => () => undefined),
    );
    expect(said).toMatch(new RegExp(`^${placeOf()} cannot be written: [^\\n]+$`));
  });

  it('is refused where any other command makes it', async () => {
    expect(await saidOf(() => makeFolder(placeOf()))).toMatch(/^E[A-Z]+: [^\n]+$/);
  });
});

it('an export that is a file is refused by whoever reads it', async () => {
  const place = openLogPlace(readConfiguration({}), file);
  expect(await saidOf(() => place.read('checkpoint'))).toMatch(new RegExp(`^${file} cannot be read: [^\\n]+$`));
});

it('nothing makes folders by the call that has no end', async () => {
  const sources = join(__dirname, '..', '..', '..');
  for (const part of ['apps/cli/src', 'libs/stores/database-copies/src/backup.ts', 'libs/stores/data-folder/src']) {
    const names = part.endsWith('.ts') ? [part] : (await readdir(join(sources, part))).map((name) => join(part, name));
    for (const name of names.filter((one) => one.endsWith('.ts')))
      expect(await readFile(join(sources, name), 'utf8')).not.toMatch(/mkdir\([^;]*recursive/);
  }
});
