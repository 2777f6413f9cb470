import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ArchiveFile } from '../src/operators/archive-file';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'parley-archive-'))));
afterEach(() => rm(folder, { recursive: true }));

/** An archive without files: its last record alone. */
const archiveOf = (person: string) =>
  Buffer.concat([Buffer.from(person), Buffer.from([0x50, 0x4b, 5, 6]), Buffer.alloc(18)]);

/** Writes the archive of a person, once `goOn` is settled. */
const written = (place: string, person: string, goOn: Promise<unknown>) =>
  ArchiveFile.written(place, async (file) => {
    await goOn;
    await file.add(archiveOf(person));
    await file.complete();
  });

it('never gives the name of one archive to that of another person, which another command writes to the same place', async () => {
  const place = join(folder, 'person.zip');
  let [goOn, end] = [() => undefined as void, () => undefined as void];
  const first = written(place, 'Ada', new Promise<void>((resolve) => (goOn = resolve)));
  const begun = async () => (await readdir(folder)).length > 0;
  while (!(await begun())) await new Promise((resolve) => setImmediate(resolve));
  const second = ArchiveFile.written(place, async (file) => {
    await file.add(archiveOf('Bob').subarray(0, 3));
    goOn();
    await new Promise<void>((resolve) => (end = resolve));
    await file.add(archiveOf('Bob').subarray(3));
    await file.complete();
  });
  await expect(first).rejects.toThrow(/another command writes .+person\.zip/);
  end();
  await second;
  expect(await readFile(place)).toEqual(archiveOf('Bob'));
  expect(await readdir(folder)).toEqual(['person.zip']);
});
