import { emptyRoot, hashBytes, leftLeaves, nodeHash, rootOver, type Hash } from './merkle';

/**
 * A tree in tiles, as in C2SP's tlog-tiles: a tile of level 0 holds the hashes of 256 leaves, one of a higher level the roots of 256 full
 * tiles below it. Proofs are computed from them.
 */
export const tileWidth = 256;
const tileHeight = 8;

/** A tile, or its first `width` hashes. */
export interface TileName {
  readonly level: number;
  readonly index: number;
  readonly width: number;
}

/** Returns the hashes of a tile, concatenated. Rejects if the tile is unavailable. */
export type ReadTile = (tile: TileName) => Promise<Uint8Array>;

const pathPattern = /^(?:(entries)|0|[1-9]\d?)\/((?:x\d{3}\/)*\d{3})(?:\.p\/([1-9]\d{0,2}))?$/;
const levelMax = 63;

/** Its path under `tile/`: `<level>/<index>[.p/<width>]`, the index in groups of three digits. */
export function tilePath({ level, index, width }: TileName): string {
  return `${level}/${placeOf(index, width)}`;
}

/** The path of a bundle of entries under `tile/`. */
export function bundlePath(index: number, width: number): string {
  return `entries/${placeOf(index, width)}`;
}

function placeOf(index: number, width: number): string {
  const digits = String(index);
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g) ?? [];
  const path = groups.map((group, at) => (at < groups.length - 1 ? `x${group}` : group)).join('/');
  return width === tileWidth ? path : `${path}.p/${width}`;
}

/** Parses a path under `tile/` into a tile or a bundle of entries; null for a path of neither, or in another spelling. */
export function parseTilePath(path: string): TileName | { readonly bundle: true; index: number; width: number } | null {
  const match = pathPattern.exec(path);
  if (match === null) return null;
  const [, entries, groups = '', partial] = match;
  const index = Number(groups.replaceAll(/[x/]/g, ''));
  const width = partial === undefined ? tileWidth : Number(partial);
  if (!Number.isSafeInteger(index) || width > tileWidth || (partial !== undefined && width === tileWidth)) return null;
  const level = Number(path.slice(0, path.indexOf('/')));
  if (entries === undefined && level > levelMax) return null;
  const name = entries === undefined ? { level, index, width } : { bundle: true as const, index, width };
  const spelled = entries === undefined ? tilePath({ level, index, width }) : bundlePath(index, width);
  return spelled === path ? name : null;
}

/** All tiles of a tree, the full ones and those at its edge. */
export function* tilesOf(size: number): Generator<TileName> {
  for (let [level, hashes] = [0, size]; hashes > 0; level += 1, hashes = Math.floor(hashes / tileWidth)) {
    for (let index = 0; index * tileWidth < hashes; index += 1)
      yield { level, index, width: Math.min(tileWidth, hashes - index * tileWidth) };
  }
}

/** Splits a tile into its hashes. @throws RangeError if the last one is truncated */
export function hashesIn(tile: Uint8Array): Hash[] {
  if (tile.length % hashBytes !== 0) throw new RangeError(`a tile of ${tile.length} bytes`);
  return Array.from({ length: tile.length / hashBytes }, (_, at) =>
    tile.subarray(at * hashBytes, (at + 1) * hashBytes),
  );
}

/** A tree whose tiles can be read. Each tile is read once. */
export class TiledTree {
  private readonly read = new Map<string, Promise<Hash[]>>();

  constructor(
    readonly size: number,
    private readonly readTile: ReadTile,
  ) {}

  /** The root over the first `size` leaves; over all of them by default. @throws RangeError for more than there are */
  async root(size: number = this.size): Promise<Hash> {
    this.check(size);
    return size === 0 ? emptyRoot() : this.rangeHash(0, size);
  }

  /** A leaf's path, from its sibling up (RFC 6962, section 2.1.1). @throws RangeError if there is no such leaf */
  async inclusionPath(index: number, size: number = this.size): Promise<Hash[]> {
    this.check(size);
    if (!(index >= 0 && index < size)) throw new RangeError(`there is no leaf ${index} among ${size}`);
    const path: Promise<Hash>[] = [];
    let [from, to] = [0, size];
    while (to - from > 1) {
      const middle = from + leftLeaves(to - from);
      if (index < middle) {
        path.push(this.rangeHash(middle, to));
        to = middle;
      } else {
        path.push(this.rangeHash(from, middle));
        from = middle;
      }
    }
    return Promise.all(path.reverse());
  }

  /** The path from an earlier size to a later one (RFC 6962, section 2.1.2); empty from the empty tree, or to the same size. */
  async consistencyPath(earlier: number, later: number = this.size): Promise<Hash[]> {
    this.check(later);
    if (!(earlier >= 0 && earlier <= later)) throw new RangeError(`${earlier} leaves are no beginning of ${later}`);
    if (earlier === 0 || earlier === later) return [];
    const path: Promise<Hash>[] = [];
    let [from, to] = [0, later];
    while (earlier !== to) {
      const middle = from + leftLeaves(to - from);
      if (earlier <= middle) {
        path.push(this.rangeHash(middle, to));
        to = middle;
      } else {
        path.push(this.rangeHash(from, middle));
        from = middle;
      }
    }
    if (from > 0) path.push(this.rangeHash(from, to));
    return Promise.all(path.reverse());
  }

  /** The hash of the leaf at that index. */
  async leaf(index: number): Promise<Hash> {
    return this.subtree(0, index);
  }

  private check(size: number): void {
    if (!(size >= 0 && size <= this.size)) throw new RangeError(`${size} leaves of ${this.size}`);
  }

  /** The root over the leaves from `from` (inclusive) to `to` (exclusive); `from` is the start of a subtree of that size. */
  private async rangeHash(from: number, to: number): Promise<Hash> {
    const count = to - from;
    const height = Math.log2(count);
    if (Number.isInteger(height)) return this.subtree(height, from / count);
    const middle = from + leftLeaves(count);
    const [left, right] = await Promise.all([this.rangeHash(from, middle), this.rangeHash(middle, to)]);
    return nodeHash(left, right);
  }

  /** The root of a full subtree of 2^height leaves. */
  private async subtree(height: number, index: number): Promise<Hash> {
    const level = Math.floor(height / tileHeight);
    const count = 2 ** (height % tileHeight);
    const first = index * count;
    const hashes = await this.tile(level, Math.floor(first / tileWidth));
    const at = first % tileWidth;
    return rootOver(hashes.slice(at, at + count));
  }

  private tile(level: number, index: number): Promise<Hash[]> {
    const hashesOfLevel = Math.floor(this.size / tileWidth ** level);
    const width = Math.min(tileWidth, hashesOfLevel - index * tileWidth);
    const name = { level, index, width };
    const path = tilePath(name);
    const known = this.read.get(path) ?? this.readTile(name).then((bytes) => checked(name, bytes));
    this.read.set(path, known);
    return known;
  }
}

function checked(name: TileName, bytes: Uint8Array): Hash[] {
  const hashes = hashesIn(bytes);
  if (hashes.length !== name.width) throw new RangeError(`tile ${tilePath(name)} has ${hashes.length} hashes`);
  return hashes;
}

/** A full tile, with its hashes concatenated. */
export interface FullTile {
  readonly level: number;
  readonly index: number;
  readonly hashes: Uint8Array;
}

/** Grows a tree leaf by leaf. It keeps only the edge: for each level the hashes of the tile that is not full yet. */
export class TreeEdge {
  private readonly levels: Hash[][];

  /**
   * @param levels of a tree of `size` leaves, from level 0 up: the hashes of its partial tiles
   * @param over `nodeHash`, or a faster function with the same result
   */
  constructor(
    private count = 0,
    levels: readonly (readonly Hash[])[] = [],
    private readonly over = nodeHash,
  ) {
    this.levels = levels.map((hashes) => [...hashes]);
  }

  get size(): number {
    return this.count;
  }

  /** The partial tiles, from level 0 up, in the form of the constructor's parameter. */
  get partial(): readonly (readonly Hash[])[] {
    return this.levels;
  }

  /** Adds a leaf. @returns the tiles that this leaf has filled, from level 0 up */
  append(leaf: Hash): FullTile[] {
    this.count += 1;
    const full: FullTile[] = [];
    let hash = leaf;
    for (let level = 0; ; level += 1) {
      const hashes = (this.levels[level] ??= []);
      hashes.push(hash);
      if (hashes.length < tileWidth) return full;
      const index = this.count / tileWidth ** (level + 1) - 1;
      full.push({ level, index, hashes: joined(hashes) });
      hash = rootOver(hashes, this.over);
      this.levels[level] = [];
    }
  }

  /** The root of the tree as it is now. */
  root(): Hash {
    let root: Hash | null = null;
    for (const hashes of this.levels) {
      // Subtrees of one level from the right: each is at least as large as everything to its right.
      for (let [rest, count] = [hashes.length, 1]; rest > 0; count *= 2) {
        if (rest % (count * 2) === 0) continue;
        const subtree = rootOver(hashes.slice(rest - count, rest), this.over);
        root = root === null ? subtree : this.over(subtree, root);
        rest -= count;
      }
    }
    return root ?? emptyRoot();
  }
}

/** Concatenates hashes. */
export function joined(hashes: readonly Hash[]): Uint8Array {
  const bytes = new Uint8Array(hashes.length * hashBytes);
  for (const [at, hash] of hashes.entries()) bytes.set(hash, at * hashBytes);
  return bytes;
}
