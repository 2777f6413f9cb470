import { sameHash, TreeEdge, type FullTile, type Hash } from '@app/transparency';
import type { SignedTree } from './claims';

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
