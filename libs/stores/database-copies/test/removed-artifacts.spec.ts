import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { copyArtifacts } from '../src/artifact-files';
import { CannotCopy } from '../src/connection';

const hashes = ['It rained.', 'It snowed.', 'It thawed.'].map((text) => ({
  text,
  sha256: createHash('sha256').update(text).digest('hex'),
}));
const placeOf = (sha256: string) => join(sha256.slice(0, 2), sha256);
const [removed = ''] = hashes
  .map(({ sha256 }) => placeOf(sha256))
  .sort()
  .slice(1);

let folder: string;
let from: string;
let to: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-removed-'));
  [from, to] = [join(folder, 'from'), join(folder, 'to')];
  for (const { text, sha256 } of hashes) {
    await mkdir(dirname(join(from, placeOf(sha256))), { recursive: true });
    await writeFile(join(from, placeOf(sha256)), text);
  }
});
afterEach(() => rm(folder, { recursive: true }));

/** Removes one artifact once all of them were listed. */
const removing = () => {
  rmSync(join(from, removed));
  return () => undefined;
};

it('a backup goes on where an erasure removes an artifact that it has listed, and counts those that it has', async () => {
  expect(await copyArtifacts(from, to, 'left', removing)).toBe(2);
  const copied = (await readdir(to, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  expect(copied).toHaveLength(2);
  for (const { text, sha256 } of hashes.filter((one) => placeOf(one.sha256) !== removed))
    expect(await readFile(join(to, placeOf(sha256)), 'utf8')).toBe(text);
});

it('a restore does not', async () => {
  await expect(copyArtifacts(from, to, 'all', removing)).rejects.toThrow(CannotCopy);
});
