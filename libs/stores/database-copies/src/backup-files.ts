import { quotedExactly } from '@app/kernel';
import { CannotCopy } from './connection';

/** Returns the refusal of a file that the backup did not write. The file's name is quoted, because another person may have chosen it. */
export function notPartOf(file: string): CannotCopy {
  return new CannotCopy(`${quotedExactly(file, Infinity)} is not part of the backup: move it out of the folder`);
}

/** Names that a backup holds, for a refusal; quoted, because another person may have chosen them. */
export const quotedNames = (names: readonly string[]): string => names.map((name) => quotedExactly(name)).join(', ');

/** The entries of a folder; none if it does not exist, because nothing was ever written into it. */
export async function ifThere<Entry>(reading: Promise<Entry[]>): Promise<Entry[]> {
  return reading.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
}
