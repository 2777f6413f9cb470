import { sameHash, TreeEdge, type FullTile, type Hash, hashesIn, joined, tilePath, tileWidth } from '@app/transparency';
import type { SignedTree } from './claims';
import type { KeptLog } from './kept-log';
import type { Leaf } from './leaf';

/** Where a rebuilt tree departs from the signed trees. */
export interface Departure {
  /** The size of the largest signed tree that matches, by any signer; 0: none. */
  readonly after: number;
  /** The first larger signed tree, which does not match. */
  readonly by: SignedTree;
}

/** A tree that is built leaf by leaf and compared with each signed tree when it reaches that size. */
export class RebuiltTree {
  /** The size of the largest matching tree that a trusted key signed. */
  holds = 0;
  /** The size of the largest matching signed tree, including those of a log that this one was copied from. */
  private agrees = 0;
  private readonly edge = new TreeEdge();
  private readonly unlike: SignedTree[] = [];
  private next = 0;

  /** @param signed sorted by size */
  constructor(private readonly signed: readonly SignedTree[]) {
    this.compare();
  }

  get size(): number {
    return this.edge.size;
  }

  get partial(): TreeEdge['partial'] {
    return this.edge.partial;
  }

  /** @returns the tiles that this leaf completes */
  add(leaf: Hash): FullTile[] {
    const full = this.edge.append(leaf);
    this.compare();
    return full;
  }

  /** Call after the last leaf. Null if the tree matches everything that was signed. */
  departure(): Departure | null {
    const by = this.unlike.find(({ size }) => size > this.agrees) ?? this.signed[this.next];
    return by === undefined ? null : { after: this.agrees, by };
  }

  /** Whether it matches what was signed as far as it reaches, and is smaller than the largest signed tree. */
  get isShort(): boolean {
    return this.signed[this.next] !== undefined && !this.unlike.some(({ size }) => size > this.agrees);
  }

  /** Signed trees that do not match although a larger signed one does: the log signed two histories. */
  contradictions(): readonly SignedTree[] {
    return this.unlike.filter(({ size }) => size <= this.agrees);
  }

  private compare(): void {
    for (let tree = this.signed[this.next]; tree?.size === this.edge.size; tree = this.signed[this.next]) {
      this.next += 1;
      if (!sameHash(this.edge.root(), tree.root)) {
        this.unlike.push(tree);
        continue;
      }
      this.agrees = tree.size;
      if (!tree.isFormer) this.holds = tree.size;
    }
  }
}

/** A tile that does not match the leaves. */
export interface WrongTile {
  readonly path: string;
  /** At level 0: the leaves for which it has other hashes; none if the tile is missing. */
  readonly leaves: readonly Leaf[];
}

const wrongMax = 1_000;

/** Builds the tree over the log's leaves, and compares the tiles that the log keeps with it. */
export class KeptTree {
  readonly wrong: WrongTile[] = [];
  readonly tree: RebuiltTree;
  private lastLeaves: Leaf[] = [];

  constructor(
    private readonly log: KeptLog,
    signed: readonly SignedTree[],
  ) {
    this.tree = new RebuiltTree(signed);
  }

  /** Yields the leaves once they are in the tree. */
  async *leaves(): AsyncGenerator<Leaf> {
    for await (const leaf of this.log.leaves()) {
      this.lastLeaves.push(leaf);
      for (const tile of this.tree.add(leaf.hash)) await this.compare(tile);
      if (this.lastLeaves.length === tileWidth) this.lastLeaves = [];
      yield leaf;
    }
    for (const [level, hashes] of this.tree.partial.entries()) {
      const index = Math.floor(this.tree.size / tileWidth ** (level + 1));
      if (hashes.length > 0) await this.compare({ level, index, hashes: joined(hashes) });
    }
  }

  private async compare({ level, index, hashes }: FullTile): Promise<void> {
    // Without entries, the leaves themselves were read from the tiles of level 0.
    if (level === 0 && !this.log.hasEntries) return;
    const name = { level, index, width: hashesIn(hashes).length };
    const kept = await this.log.tile(name);
    if (this.wrong.length >= wrongMax || (kept !== null && sameHash(kept, hashes))) return;
    const leaves = level === 0 && kept !== null ? this.unlike(hashesIn(kept)) : [];
    this.wrong.push({ path: tilePath(name), leaves });
  }

  private unlike(hashes: readonly Hash[]): Leaf[] {
    return this.lastLeaves.filter(({ hash }, at) => {
      const kept = hashes[at];
      return kept === undefined || !sameHash(kept, hash);
    });
  }
}
