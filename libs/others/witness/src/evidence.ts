import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeDurably } from '@app/data-folder';
import type { Contradiction } from './judgement';
import { makeFolder } from './kept-log';

/** Of each kind and log: who can send signed checkpoints must not fill the disk. */
const filesMax = 100;

/** Two checkpoints of a log that do not go together, as whole notes. */
export interface Evidence {
  readonly origin: string;
  readonly contradiction: Contradiction;
  /** What the witness signed. */
  readonly signed: string;
  /** What it refused. */
  readonly refused: string;
}

const meanings: Readonly<Record<Contradiction, string>> = {
  same_size:
    'signed two trees of one size with two roots. The two checkpoints below prove it to everybody who has the key of the log:\nit showed some people another history than others.',
  not_consistent:
    'signed two trees, and the proof that came with the larger one does not show that it grew from the smaller one.\nWhere the log has no other proof for these two checkpoints, it changed its history; a sender may also have erred.',
};

/** Keeps evidence in a folder; what is there already, or is more than is kept, it leaves. @returns the new file; null where there is none */
export async function keepEvidence(folder: string, { origin, ...evidence }: Evidence): Promise<string | null> {
  const { contradiction, signed, refused } = evidence;
  const name = `${contradiction.replace('_', '-')}-${hash('sha256', signedText(signed) + refused, 'hex').slice(0, 16)}.txt`;
  await makeFolder(folder);
  const there = await filesOf(folder, contradiction);
  if (there.includes(name) || there.length >= filesMax) return null;
  const text = `The log ${origin} ${meanings[contradiction]}\n\n===== signed by this witness\n${signed}===== refused\n${refused}`;
  await writeDurably(folder, name, text);
  return join(folder, name);
}

/** One file that proves a fork of the log; null where none is kept. */
export async function forkOf(folder: string): Promise<string | null> {
  const [name] = await filesOf(folder, 'same_size');
  return name === undefined ? null : readFile(join(folder, name), 'utf8');
}

async function filesOf(folder: string, contradiction: Contradiction): Promise<string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.filter((name) => name.startsWith(`${contradiction.replace('_', '-')}-`)).sort();
}

/** Without signatures: a cosignature changes with its time. */
function signedText(note: string): string {
  return note.slice(0, note.lastIndexOf('\n\n'));
}
