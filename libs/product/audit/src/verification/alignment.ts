import { sameHash } from '@app/transparency';
import { textOfHash, type Leaf } from './leaf';

/** The difference between two sequences of leaves, in their order. */
export interface Unmatched {
  /** Leaves that only the log keeps. */
  readonly kept: readonly Leaf[];
  /** Leaves that only the store has. */
  readonly stored: readonly Leaf[];
  /** Number of stored events after everything that the log keeps. */
  readonly later: number;
  /** Number of unmatched leaves on either side that are not listed, because there were too many. */
  readonly beyond: number;
  /** The part of those that only the log keeps. */
  readonly keptBeyond: number;
  /** Position of the last stored event that is where the log has it. */
  readonly lastMatched: number;
}

/** How far both sides are searched for a match. The leaves in memory take a few dozen megabytes at most. */
const windowMax = 20_000;
/** Maximum number of unmatched leaves listed per side. */
const heldMax = 20_000;

/**
 * Compares the log's leaves with the stored ones, both in their order: one by one while they are equal; otherwise up to
 * where they match again, so that an event that was removed, added or moved makes nothing after it a difference.
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

  /** Lists stored leaves after the log's end, up to the maximum: the log may have them elsewhere. */
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

/** Leaves read ahead, indexed by their hash. */
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

/** An iterator to which items can be given back. */
class Lookahead<Item> {
  private readonly source: AsyncIterator<Item>;
  /** The given-back items, the next one last. */
  private given: Item[] = [];

  constructor(source: AsyncIterable<Item>) {
    this.source = source[Symbol.asyncIterator]();
  }

  /** Undefined at the end. */
  async next(): Promise<Item | undefined> {
    const back = this.given.pop();
    if (back !== undefined) return back;
    const next = await this.source.next();
    return next.done === true ? undefined : next.value;
  }

  /** These items are returned next, in this order. */
  giveBack(items: readonly Item[]): void {
    this.given.push(...items.toReversed());
  }
}
