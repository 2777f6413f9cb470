import { sameHash } from '@app/transparency';
import { textOfHash, type Leaf } from './leaf';
import { Lookahead } from './lookahead';

/** What two sequences of leaves do not have in common, in their order. */
export interface Unmatched {
  /** Only the log keeps them. */
  readonly kept: readonly Leaf[];
  /** Only the store has them. */
  readonly stored: readonly Leaf[];
  /** Stored events that come after all that the log keeps. */
  readonly later: number;
  /** Leaves of either side that are not held here, since there were too many. */
  readonly beyond: number;
  /** As far as only the log keeps them. */
  readonly keptBeyond: number;
  /** Position of the last stored event that is where the log has it. */
  readonly lastMatched: number;
}

/** How far ahead the sequences are looked through for where they meet again. What is held is a few dozen megabytes at most. */
const windowMax = 20_000;
/** How many unmatched leaves of a side are held. */
const heldMax = 20_000;

/**
 * Compares what the log keeps with what is stored, both in their order: as far as they are alike, one by one; where they are not, until
 * they meet again, so that an event that was removed, added or moved makes nothing after it a difference.
 */
export async function align(kept: AsyncIterable<Leaf>, stored: AsyncIterable<Leaf>): Promise<Unmatched> {
  const alignment = new Alignment(kept, stored);
  while (await alignment.step());
  return alignment.unmatched();
}

class Alignment {
  private readonly kept: Lookahead<Leaf>;
  private readonly stored: Lookahead<Leaf>;
  private readonly only = { kept: new Held(), stored: new Held() };
  private lastMatched = 0;
  private later = 0;

  constructor(kept: AsyncIterable<Leaf>, stored: AsyncIterable<Leaf>) {
    this.kept = new Lookahead(kept);
    this.stored = new Lookahead(stored);
  }

  /** @returns whether there is more */
  async step(): Promise<boolean> {
    const [kept, stored] = [await this.kept.next(), await this.stored.next()];
    if (kept === undefined && stored === undefined) return false;
    if (kept !== undefined && stored !== undefined && sameHash(kept.hash, stored.hash)) {
      this.lastMatched = stored.at;
      return true;
    }
    if (kept === undefined) return this.countLater(stored);
    await this.meetAgain(kept, stored);
    return true;
  }

  unmatched(): Unmatched {
    const { kept, stored } = this.only;
    const { lastMatched, later } = this;
    return {
      kept: kept.leaves,
      stored: stored.leaves,
      beyond: kept.beyond + stored.beyond,
      keptBeyond: kept.beyond,
      lastMatched,
      later,
    };
  }

  /** What comes after the log's end is looked at as far as it may be something that the log has elsewhere. */
  private countLater(stored: Leaf | undefined): true {
    if (stored === undefined) return true;
    if (this.only.stored.leaves.length < heldMax) this.only.stored.add([stored]);
    else this.later += 1;
    return true;
  }

  private async meetAgain(keptFirst: Leaf, storedFirst: Leaf | undefined): Promise<void> {
    const [kept, stored] = [new Window(), new Window()];
    kept.add(keptFirst);
    if (storedFirst !== undefined) stored.add(storedFirst);
    while (kept.leaves.length < windowMax && stored.leaves.length < windowMax) {
      const nextKept = await this.kept.next();
      if (nextKept !== undefined) {
        kept.add(nextKept);
        const at = stored.indexOf(nextKept);
        if (at !== undefined) return this.skip(kept, kept.leaves.length - 1, stored, at);
      }
      const nextStored = await this.stored.next();
      if (nextStored !== undefined) {
        stored.add(nextStored);
        const at = kept.indexOf(nextStored);
        if (at !== undefined) return this.skip(kept, at, stored, stored.leaves.length - 1);
      }
      if (nextKept === undefined && nextStored === undefined) break;
    }
    this.skip(kept, kept.leaves.length, stored, stored.leaves.length);
  }

  private skip(kept: Window, keptUpTo: number, stored: Window, storedUpTo: number): void {
    this.only.kept.add(kept.leaves.slice(0, keptUpTo));
    this.only.stored.add(stored.leaves.slice(0, storedUpTo));
    this.kept.giveBack(kept.leaves.slice(keptUpTo));
    this.stored.giveBack(stored.leaves.slice(storedUpTo));
  }
}

/** Leaves that were looked at, found again by their hash. */
class Window {
  readonly leaves: Leaf[] = [];
  private readonly places = new Map<string, number>();

  add(leaf: Leaf): void {
    const text = textOfHash(leaf.hash);
    if (!this.places.has(text)) this.places.set(text, this.leaves.length);
    this.leaves.push(leaf);
  }

  indexOf(leaf: Leaf): number | undefined {
    return this.places.get(textOfHash(leaf.hash));
  }
}

class Held {
  readonly leaves: Leaf[] = [];
  beyond = 0;

  add(leaves: readonly Leaf[]): void {
    const room = heldMax - this.leaves.length;
    this.leaves.push(...leaves.slice(0, room));
    this.beyond += Math.max(0, leaves.length - room);
  }
}
