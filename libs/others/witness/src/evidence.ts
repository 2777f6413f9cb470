import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeDurably } from '@app/data-folder';
import { toBase64, type Checkpoint, type Hash } from '@app/transparency';
import { makeFolder } from './kept-log';

/** Two trees of one size with two roots; or two sizes, and a path that shows that the larger tree does not begin with the smaller one. */
export type Contradiction = 'same_size' | 'inconsistent';

/** A signed tree head of the log: the note with the log's signatures, and with the witness's own if it signed it. */
export interface KnownCheckpoint {
  readonly checkpoint: Checkpoint;
  readonly note: string;
  readonly isWitnessed: boolean;
}

/** Two checkpoints that the log signed and that cannot both be true: by itself, a proof that the log showed two histories. */
export interface Fork {
  readonly origin: string;
  readonly contradiction: Contradiction;
  /** The checkpoint that the witness knew before. */
  readonly known: KnownCheckpoint;
  /** The note that it refused, with the signatures of the log. */
  readonly refused: string;
  /** Consistency path from the known checkpoint to the refused one; empty for two of one size. */
  readonly path: readonly Hash[];
}

/** Files of each kind and log. Each file proves a fork by itself, so the first ones prove everything there is to prove. */
const filesMax = 100;
const kinds = ['same_size', 'inconsistent'] as const satisfies readonly Contradiction[];

const meanings: Readonly<Record<Contradiction, string>> = {
  same_size:
    'signed two trees of one size with two roots. The two checkpoints below prove it to everybody who has the key of the log:\nit showed some people another history than others.',
  inconsistent:
    'signed two trees, and the larger one does not begin with the smaller one. The two checkpoints and the path below prove it to\neverybody who has the key of the log: the path leads to the root of the larger tree, and from there to another root of the smaller one.',
};

/** The proofs of forks of one log, in a folder. Only proofs take up its space. */
export class KeptForks {
  private constructor(
    private readonly folder: string,
    private readonly names: Set<string>,
  ) {}

  static async open(folder: string): Promise<KeptForks> {
    const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    return new KeptForks(folder, new Set(names.filter((name) => kinds.some((kind) => isOfKind(name, kind)))));
  }

  /** The stored files, those of one size first. */
  get files(): string[] {
    const names = [...this.names].sort();
    return kinds.flatMap((kind) => names.filter((name) => isOfKind(name, kind)).map((name) => join(this.folder, name)));
  }

  /** The file in which a fork is stored, or would be. */
  fileOf(fork: Fork): string {
    return join(this.folder, nameOf(fork));
  }

  /** Stores a fork, unless it is stored already or there are enough of its kind. @throws when the disk does not accept it */
  async keep(fork: Fork): Promise<void> {
    const name = nameOf(fork);
    const alike = [...this.names].filter((one) => isOfKind(one, fork.contradiction));
    if (this.names.has(name) || alike.length >= filesMax) return;
    await makeFolder(this.folder);
    await writeDurably(this.folder, name, textOf(fork));
    this.names.add(name);
  }

  /** Returns one file that proves a fork of the log; null when there is none. */
  async first(): Promise<string | null> {
    const [file] = this.files;
    return file === undefined ? null : readFile(file, 'utf8');
  }
}

function textOf({ origin, contradiction, known, refused, path }: Fork): string {
  const before = known.isWitnessed ? 'signed by this witness' : 'shown to this witness';
  const proof = path.map((hash) => `${toBase64(hash)}\n`).join('');
  return [
    `The log ${origin} ${meanings[contradiction]}\n\n`,
    `===== ${before}\n${known.note}===== refused\n${refused}`,
    contradiction === 'inconsistent' ? `===== path\n${proof}` : '',
  ].join('');
}

/** Derived from the texts without signatures, because a cosignature changes with its time. */
function nameOf({ contradiction, known, refused, path }: Fork): string {
  const digest = hash('sha256', [known.note, refused].map(unsigned).join('\n') + path.map(toBase64).join(), 'hex');
  return `${prefixOf(contradiction)}${digest.slice(0, 16)}.txt`;
}

const prefixOf = (kind: Contradiction): string => `${kind.replace('_', '-')}-`;
const isOfKind = (name: string, kind: Contradiction): boolean => name.startsWith(prefixOf(kind));

function unsigned(note: string): string {
  return note.slice(0, note.lastIndexOf('\n\n'));
}
