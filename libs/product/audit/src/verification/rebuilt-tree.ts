import { sameHash, TreeEdge, type FullTile, type Hash } from '@app/transparency';
import type { SignedTree } from './claims';

/** Where a tree that was built again departs from what was signed. */
export interface Departure {
  /** The size of the largest signed tree that it comes to, whoever signed that; 0: none. */
  readonly after: number;
  /** The first larger one. */
  readonly by: SignedTree;
}

/** A tree that is built leaf by leaf, and compared with each signed one as it comes to its size. */
export class RebuiltTree {
  /** The size of the largest tree that it comes to and that a trusted key signed. */
  holds = 0;
  /** The size of the largest signed tree that it comes to, also of a log that this one was copied from. */
  private agrees = 0;
  private readonly edge = new TreeEdge();
  private readonly unlike: SignedTree[] = [];
  private next = 0;

  /** @param signed by size */
  constructor(private readonly signed: readonly SignedTree[]) {
    this.compare();
  }

  get size(): number {
    return this.edge.size;
  }

  get partial(): TreeEdge['partial'] {
    return this.edge.partial;
  }

  /** @returns the tiles that became full with it */
  add(leaf: Hash): FullTile[] {
    const full = this.edge.append(leaf);
    this.compare();
    return full;
  }

  /** Once all leaves are in: null where it is what was signed, as far as anything was. */
  departure(): Departure | null {
    const by = this.unlike.find(({ size }) => size > this.agrees) ?? this.signed[this.next];
    return by === undefined ? null : { after: this.agrees, by };
  }

  /** Whether it is what was signed as far as it goes, and smaller than the largest tree that was. */
  get isShort(): boolean {
    return this.signed[this.next] !== undefined && !this.unlike.some(({ size }) => size > this.agrees);
  }

  /** What was signed and is not this tree, although a larger one that was signed is: the log signed two histories. */
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
