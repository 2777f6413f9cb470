import { sha256 } from '@noble/hashes/sha2';

/**
 * Merkle trees of RFC 6962, section 2.1, over SHA-256. A hash is 32 bytes; a prefix byte distinguishes leaves from nodes, so that no entry
 * can pass for a part of the tree.
 */
export type Hash = Uint8Array;

export const hashBytes = 32;
const leafPrefix = Uint8Array.of(0);
const nodePrefix = Uint8Array.of(1);

/** The hash of a log's entry. */
export function leafHash(entry: Uint8Array): Hash {
  return sha256.create().update(leafPrefix).update(entry).digest();
}

/** The hash of a node with these two children. */
export function nodeHash(left: Hash, right: Hash): Hash {
  return sha256.create().update(nodePrefix).update(left).update(right).digest();
}

/** The root of a tree without leaves. */
export function emptyRoot(): Hash {
  return sha256(new Uint8Array());
}

/**
 * The root over these hashes, which are those of leaves, or of full subtrees of equal size.
 * @param hashes at least one @param over `nodeHash`, or a faster function with the same result
 */
export function rootOver(hashes: readonly Hash[], over = nodeHash): Hash {
  const [only] = hashes;
  if (only === undefined) throw new RangeError('there is no root over nothing');
  if (hashes.length === 1) return only;
  const left = leftLeaves(hashes.length);
  return over(rootOver(hashes.slice(0, left), over), rootOver(hashes.slice(left), over));
}

/** The number of leaves, of `count` (at least two), in the left subtree: the largest power of two that leaves some for the right one. */
export function leftLeaves(count: number): number {
  let left = 1;
  while (left * 2 < count) left *= 2;
  return left;
}

export function sameHash(one: Hash, other: Hash): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

/**
 * Whether the leaf is at that index in the tree of that size and root. Source: RFC 9162, section 2.1.3.2, whose trees are those of RFC
 * 6962.
 * @param path sibling hashes, from the leaf up
 */
export function isIncluded(leaf: Hash, index: number, size: number, path: readonly Hash[], root: Hash): boolean {
  if (!isCount(index) || !isCount(size) || index >= size) return false;
  const computed = rootBy(leaf, index, size, path);
  return computed !== null && sameHash(computed, root);
}

/** The root that results from the path; null for a path of the wrong length. */
function rootBy(leaf: Hash, index: number, size: number, path: readonly Hash[]): Hash | null {
  if (size === 1) return path.length === 0 ? leaf : null;
  const sibling = path.at(-1);
  if (sibling === undefined) return null;
  const [left, below] = [leftLeaves(size), path.slice(0, -1)];
  if (index < left) {
    const inner = rootBy(leaf, index, left, below);
    return inner && nodeHash(inner, sibling);
  }
  const inner = rootBy(leaf, index - left, size - left, below);
  return inner && nodeHash(sibling, inner);
}

/** A tree's size and root. */
export interface TreeHead {
  readonly size: number;
  readonly root: Hash;
}

/** Whether the later tree begins with the earlier one (RFC 6962, section 2.1.2); the empty one needs no path. */
export function isConsistent(earlier: TreeHead, later: TreeHead, path: readonly Hash[]): boolean {
  if (!isCount(earlier.size) || !isCount(later.size) || earlier.size > later.size) return false;
  if (earlier.size === later.size) return path.length === 0 && sameHash(earlier.root, later.root);
  if (earlier.size === 0) return path.length === 0 && sameHash(earlier.root, emptyRoot());
  const roots = rootsBy(earlier, later.size, path, true);
  return roots !== null && sameHash(roots.earlier, earlier.root) && sameHash(roots.later, later.root);
}

/**
 * Whether the path proves that the later tree does not begin with the leaves of the earlier one: it yields the later root, and so is a part
 * of that tree, but a different earlier root. Two roots of one size need no path. False proves nothing: if the earlier tree is a whole
 * subtree of the later one (its size is a power of two), a path cannot show it.
 */
export function isContradiction(earlier: TreeHead, later: TreeHead, path: readonly Hash[]): boolean {
  if (!isCount(earlier.size) || !isCount(later.size) || earlier.size > later.size) return false;
  if (earlier.size === later.size) return !sameHash(earlier.root, later.root);
  const roots = earlier.size === 0 ? null : rootsBy(earlier, later.size, path, true);
  return roots !== null && sameHash(roots.later, later.root) && !sameHash(roots.earlier, earlier.root);
}

/**
 * The roots of both trees according to the path; null for a path of the wrong length. @param isWhole whether the earlier tree is a subtree
 * of the later one up to here, so that its own root represents it
 */
function rootsBy(
  earlier: TreeHead,
  size: number,
  path: readonly Hash[],
  isWhole: boolean,
): { earlier: Hash; later: Hash } | null {
  const sibling = path.at(-1);
  if (earlier.size === size) {
    if (isWhole) return path.length === 0 ? { earlier: earlier.root, later: earlier.root } : null;
    return path.length === 1 && sibling !== undefined ? { earlier: sibling, later: sibling } : null;
  }
  if (sibling === undefined) return null;
  const [left, below] = [leftLeaves(size), path.slice(0, -1)];
  if (earlier.size <= left) {
    const inner = rootsBy(earlier, left, below, isWhole);
    return inner && { earlier: inner.earlier, later: nodeHash(inner.later, sibling) };
  }
  const inner = rootsBy({ size: earlier.size - left, root: earlier.root }, size - left, below, false);
  return inner && { earlier: nodeHash(sibling, inner.earlier), later: nodeHash(sibling, inner.later) };
}

/** Whether a value is a number of leaves; anything else proves nothing. */
export function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
