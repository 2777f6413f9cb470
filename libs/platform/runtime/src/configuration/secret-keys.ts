/** Maximum number of entries: each of them may be tried for a value that is opened. */
export const secretKeysMax = 8;
/** Minimum length of an entry, in bytes. */
export const secretKeyBytesMin = 32;

/** Returns the entries of `PARLEY_SECRET_KEY` as they are written, newest first. */
export function secretKeyTexts(value: string): readonly [string, ...string[]] {
  const [newest = '', ...older] = value.split(',').map((entry) => entry.trim());
  return [newest, ...older];
}

/** Returns the entries of `PARLEY_SECRET_KEY`, newest first: the first one seals and signs, each opens and verifies. */
export function secretKeysIn(value: string): readonly [Buffer, ...Buffer[]] {
  const [newest, ...older] = secretKeyTexts(value);
  return [Buffer.from(newest, 'base64'), ...older.map((entry) => Buffer.from(entry, 'base64'))];
}

/** Names an entry in a message: its place, or nothing where there is only one. */
export function entryInWords(place: number, count: number): string {
  return count === 1 ? '' : `entry ${place + 1} of ${count} `;
}
