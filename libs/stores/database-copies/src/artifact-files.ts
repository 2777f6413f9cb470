import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, type FileHandle } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { OnProgress } from './progress';
import { ifThere, notPartOf } from './backup-files';
import { CannotCopy } from './connection';

/** Names in a folder of artifacts, below two digits: all other files there are unfinished uploads. */
const artifactName = /^[0-9a-f]{64}$/;
const prefixName = /^[0-9a-f]{2}$/;
const takeAnother = 'take another copy of the backup';

/**
 * Copies every artifact of a folder into another one, where each is again named by its hash. @param which `left`: leaves
 * out those that an erasure removes meanwhile @returns the number of copied artifacts @throws CannotCopy when the content of an artifact
 * does not match its name, or is gone
 */
export async function copyArtifacts(
  from: string,
  to: string,
  which: 'all' | 'left',
  onProgress: OnProgress,
): Promise<number> {
  const names = await artifactsIn(from);
  const onDone = onProgress('artifacts', names.length);
  let copied = 0;
  for (const [index, name] of names.entries()) {
    if (await copyArtifact(name, from, to)) copied += 1;
    else if (which === 'all')
      throw new CannotCopy(`the artifact ${join(from, placeOf(name))} is missing: ${takeAnother}`);
    onDone(index + 1);
  }
  return copied;
}

/**
 * Reads all artifacts of a backup. @param count the number that was copied into it @throws CannotCopy when one is damaged or missing, or
 * when there is another file
 */
export async function checkArtifacts(folder: string, count: number): Promise<void> {
  const names = await artifactsIn(folder);
  await refuseOtherFiles(folder, new Set(names.map(placeOf)));
  if (names.length !== count)
    throw new CannotCopy(
      `${folder} holds ${names.length} artifacts, and the backup was taken with ${count}: ${takeAnother}`,
    );
  for (const name of names) {
    const hash = createHash('sha256');
    const file = join(folder, placeOf(name));
    await pipeline(createReadStream(file), hash).catch((error: NodeJS.ErrnoException) => {
      throw new CannotCopy(`${file} cannot be read (${error.code ?? error.message}): ${takeAnother}`);
    });
    if (hash.digest('hex') !== name) throw new CannotCopy(`the artifact ${file} is damaged: ${takeAnother}`);
  }
}

async function refuseOtherFiles(folder: string, places: ReadonlySet<string>): Promise<void> {
  const entries = await ifThere(readdir(folder, { recursive: true, withFileTypes: true }));
  for (const entry of entries) {
    const file = join(entry.parentPath, entry.name);
    if (!entry.isDirectory() && !(entry.isFile() && places.has(relative(folder, file)))) throw notPartOf(file);
  }
}

async function artifactsIn(folder: string): Promise<string[]> {
  const entries = await ifThere(readdir(folder, { withFileTypes: true }));
  const prefixes = entries.filter((entry) => entry.isDirectory() && prefixName.test(entry.name));
  const names = await Promise.all(prefixes.map(({ name }) => ifThere(readdir(join(folder, name)))));
  return prefixes.flatMap(({ name: prefix }, index) =>
    (names[index] ?? []).filter((name) => artifactName.test(name) && name.startsWith(prefix)),
  );
}

/** The place of an artifact, below the folder of all artifacts. */
const placeOf = (name: string): string => join(name.slice(0, 2), name);

/** @returns false for an artifact that is not there any more */
async function copyArtifact(name: string, from: string, to: string): Promise<boolean> {
  const place = placeOf(name);
  const file = await opened(join(from, place));
  if (file === null) return false;
  await mkdir(dirname(join(to, place)), { recursive: true, mode: 0o700 });
  const hash = createHash('sha256');
  const reading = file.createReadStream().on('data', (chunk) => hash.update(chunk));
  await pipeline(reading, createWriteStream(join(to, place), { flags: 'wx', mode: 0o600, flush: true }));
  if (hash.digest('hex') !== name) throw new CannotCopy(`the artifact ${join(from, place)} is damaged`);
  return true;
}

async function opened(path: string): Promise<FileHandle | null> {
  return open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}
