import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readJson, writePrivate } from '@app/data-folder';
import { isJsonObject } from '@app/kernel';
import { fromBase64, signingKey, toBase64, type SigningKey } from '@app/transparency';

const keyFile = 'key.json';
const seedBytes = 32;

/** The stored signing key has another name than requested, is missing, or is damaged; the message is one sentence that says what to do. */
export class KeyRefused extends Error {}

/** Returns the witness's own key; creates and stores it (0600) when there is none. @param name needed the first time. @throws KeyRefused */
export async function witnessKey(folder: string, name: string | undefined): Promise<SigningKey> {
  const kept = await keptKey(folder);
  if (kept !== null && name !== undefined && name !== kept.name)
    throw new KeyRefused(`the key in ${folder} is of ${kept.name}: name it so, or choose another folder`);
  if (kept !== null) return kept;
  if (name === undefined)
    throw new KeyRefused('--name is needed: how this witness is called, such as witness.example/w1');
  const key = named(name, randomBytes(seedBytes));
  await writePrivate(folder, keyFile, { name, seed: toBase64(key.seed) });
  return key;
}

/** Returns the key in a folder; null when it holds none. @throws KeyRefused */
async function keptKey(folder: string): Promise<SigningKey | null> {
  const path = join(folder, keyFile);
  const damaged = new KeyRefused(`${path} is damaged: put it back from a copy; without it this witness is another one`);
  const value = await readJson(path).catch((error: unknown) => {
    // The message of a JSON parser quotes the file.
    throw error instanceof SyntaxError ? damaged : error;
  });
  if (value === null) return null;
  const { name, seed: text } = isJsonObject(value) ? value : {};
  const seed = typeof text === 'string' ? fromBase64(text) : null;
  if (typeof name !== 'string' || seed?.length !== seedBytes) throw damaged;
  return named(name, seed);
}

function named(name: string, seed: Uint8Array): SigningKey {
  try {
    return signingKey('witness', name, seed);
  } catch (error) {
    throw error instanceof RangeError ? new KeyRefused(error.message) : error;
  }
}
