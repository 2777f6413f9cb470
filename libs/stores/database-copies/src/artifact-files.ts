import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { OnProgress } from './progress';
import { CannotCopy } from './connection';

/** Names in a folder of artifacts, below two digits: all other files there are unfinished uploads. */
const artifactName = /^[0-9a-f]{64}$/;
const prefixName = /^[0-9a-f]{2}$/;

/**
 * Copies every artifact of a folder into another one, where each is again named by its hash.
 * @returns the number of artifacts @throws CannotCopy when the content of an artifact does not match its name
 */
export async function copyArtifacts(from: string, to: string, onProgress: OnProgress): Promise<number> {
  const names = await artifactsIn(from);
  const onDone = onProgress('artifacts', names.length);
  for (const [index, name] of names.entries()) {
    await copyArtifact(name, from, to);
    onDone(index + 1);
  }
  return names.length;
}

async function artifactsIn(folder: string): Promise<string[]> {
  const prefixes = (await namesIn(folder)).filter((name) => prefixName.test(name));
  const names = await Promise.all(prefixes.map((prefix) => namesIn(join(folder, prefix))));
  return names.flat().filter((name) => artifactName.test(name));
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []; // nothing was ever uploaded
    throw error;
  });
}

async function copyArtifact(name: string, from: string, to: string): Promise<void> {
  const place = join(name.slice(0, 2), name);
  await mkdir(dirname(join(to, place)), { recursive: true, mode: 0o700 });
  const hash = createHash('sha256');
  const reading = createReadStream(join(from, place)).on('data', (chunk) => hash.update(chunk));
  await pipeline(reading, createWriteStream(join(to, place), { flags: 'wx', mode: 0o600, flush: true }));
  if (hash.digest('hex') !== name) throw new CannotCopy(`the artifact ${join(from, place)} is damaged`);
}
