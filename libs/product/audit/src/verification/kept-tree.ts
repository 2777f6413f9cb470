import { hashesIn, joined, sameHash, tilePath, tileWidth, type FullTile, type Hash } from '@app/transparency';
import type { SignedTree } from './claims';
import type { KeptLog } from './kept-log';
import type { Leaf } from './leaf';
import { RebuiltTree } from './rebuilt-tree';

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
