import { isContradiction, noteText, type Note } from '@app/transparency';
import { LRUCache } from 'lru-cache';
import type { Fork, KnownCheckpoint } from './evidence';
import type { Submission } from './submission';

/** Limits of each of the two memories, because anyone can submit checkpoints that the log once signed. */
const [countMax, charactersMax] = [1_000, 4_000_000];

/**
 * The checkpoints that a witness has seen of one log lately, in memory: those that it signed, which no submission can displace, and those
 * that it was only shown. It finds the submissions that prove a fork: both checkpoints are signed by the log, and their roots really
 * conflict. A proof that does not lead to the roots proves nothing.
 */
export class KnownCheckpoints {
  private readonly signed = memory();
  private readonly shown = memory();

  remember(known: KnownCheckpoint): void {
    (known.isWitnessed ? this.signed : this.shown).set(known.checkpoint.size, known);
  }

  /** The fork that a submission proves; null when it proves none. @param note with the log's signatures only */
  forkIn(origin: string, { old, path, checkpoint }: Submission, note: Note): Fork | null {
    const refused = noteText(note);
    const same = this.at(checkpoint.size).find(({ checkpoint: other }) => isContradiction(other, checkpoint, []));
    if (same !== undefined) return { origin, contradiction: 'same_size', known: same, refused, path: [] };
    if (old >= checkpoint.size) return null;
    const earlier = this.at(old).find(({ checkpoint: other }) => isContradiction(other, checkpoint, path));
    return earlier === undefined ? null : { origin, contradiction: 'inconsistent', known: earlier, refused, path };
  }

  /** The known checkpoints of that size, the witness's own first. */
  private at(size: number): KnownCheckpoint[] {
    return [this.signed, this.shown].flatMap((one) => one.get(size) ?? []);
  }
}

function memory(): LRUCache<number, KnownCheckpoint> {
  return new LRUCache({ max: countMax, maxSize: charactersMax, sizeCalculation: ({ note }) => note.length });
}
