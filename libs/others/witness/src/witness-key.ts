import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readJson, writePrivate } from '@app/data-folder';
import { isJsonObject } from '@app/kernel';
import { fromBase64, signingKey, toBase64, type SigningKey } from '@app/transparency';

const keyFile = 'key.json';
const seedBytes = 32;

/** The key that signs, as it was made once, is not what was asked for, or is missing; the message is one sentence that says what to do. */
export class KeyRefused extends Error {}

/** The witness's own key, made and kept (0600) when there is none. @param name needed the first time. @throws KeyRefused */
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

/** The key that a folder holds; null where it holds none. @throws KeyRefused */
async function keptKey(folder: string): Promise<SigningKey | null> {
  const path = join(folder, keyFile);
  const damaged = new KeyRefused(`${path} is damaged: put it back from a copy; without it this witness is another one`);
  const value = await readJson(path).catch((error: unknown) => {
    // What a JSON parser says of a file quotes it.
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
