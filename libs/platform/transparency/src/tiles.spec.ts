import fc from 'fast-check';
import { isConsistent, isIncluded, leafHash, nodeHash, rootOver, sameHash, type Hash } from './merkle';
import {
  bundlePath,
  parseTilePath,
  TiledTree,
  tilePath,
  tilesOf,
  tileWidth,
  TreeEdge,
  joined,
  type FullTile,
} from './tiles';
import { utf8 } from './bytes';

/** A tree as the log stores it: full tiles, and the edge. */
function grown(size: number) {
  const edge = new TreeEdge();
  const full = new Map<string, FullTile>();
  const leaves: Hash[] = [];
  for (let at = 0; at < size; at += 1) {
    const leaf = leafHash(utf8(`entry ${at}`));
    leaves.push(leaf);
    for (const tile of edge.append(leaf)) full.set(tilePath({ ...tile, width: tileWidth }), tile);
  }
  const tree = new TiledTree(size, (name) => {
    const hashes = full.get(tilePath({ ...name, width: tileWidth }))?.hashes ?? joined(edge.partial[name.level] ?? []);
    return Promise.resolve(hashes.subarray(0, name.width * 32));
  });
  return { edge, leaves, tree };
}

const largest = grown(70_000);

describe('a tree in tiles', () => {
  it('has the root of RFC 6962 at every size, from its edge and from its tiles', async () => {
    for (const size of [1, 2, 3, 7, 8, 255, 256, 257, 511, 513, 1_000]) {
      const { edge, leaves, tree } = grown(size);
      const root = rootOver(leaves);
      expect(sameHash(edge.root(), root)).toBe(true);
      expect(sameHash(await tree.root(), root)).toBe(true);
    }
    expect(sameHash(largest.edge.root(), rootOver(largest.leaves))).toBe(true);
  });

  it('goes on from its edge as it was kept', () => {
    const { edge, leaves } = grown(66_000);
    const again = new TreeEdge(66_000, edge.partial);
    for (const leaf of largest.leaves.slice(66_000)) again.append(leaf);
    expect(leaves).toHaveLength(66_000);
    expect(sameHash(again.root(), largest.edge.root())).toBe(true);
  });

  it('proves each leaf in each tree that has it, and no other one', async () => {
    const numbers = fc.record({
      size: fc.integer({ min: 1, max: 70_000 }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    await fc.assert(
      fc.asyncProperty(numbers, async ({ size, share }) => {
        const index = Math.min(size - 1, Math.floor(size * share));
        const path = await largest.tree.inclusionPath(index, size);
        const root = await largest.tree.root(size);
        const leaf = await largest.tree.leaf(index);
        expect(isIncluded(leaf, index, size, path, root)).toBe(true);
        const others = [
          isIncluded(leafHash(utf8('other')), index, size, path, root),
          size > 1 && isIncluded(leaf, index === 0 ? size - 1 : index - 1, size, path, root),
          isIncluded(leaf, index, size, [...path, leaf], root),
          size > 1 && isIncluded(leaf, index, size, path.slice(1), root),
          isIncluded(leaf, index, size, path, nodeHash(root, root)),
          isIncluded(leaf, index + size, size, path, root),
        ];
        expect(others).toEqual(others.map(() => false));
      }),
      { numRuns: 300 },
    );
  });

  it('proves that it begins with each tree that it was, and with no other one', async () => {
    const sizes = fc
      .tuple(fc.nat(70_000), fc.nat(70_000))
      .map(([one, other]) => [Math.min(one, other), Math.max(one, other)]);
    await fc.assert(
      fc.asyncProperty(sizes, async ([from = 0, to = 0]) => {
        const [earlier, later] = await Promise.all(
          [from, to].map(async (size) => ({ size, root: await largest.tree.root(size) })),
        );
        if (earlier === undefined || later === undefined) throw new Error('unreachable');
        const path = await largest.tree.consistencyPath(from, to);
        expect(isConsistent(earlier, later, path)).toBe(true);
        const forged = { size: from, root: nodeHash(earlier.root, earlier.root) };
        const others = [
          isConsistent(forged, later, path),
          // Every tree begins with the empty one.
          (from > 0 || to === 0) && isConsistent(earlier, { ...later, root: forged.root }, path),
          isConsistent(earlier, later, [...path, later.root]),
          from < to && from > 0 && isConsistent(earlier, later, path.slice(1)),
          from < to && isConsistent(later, earlier, path),
        ];
        expect(others).toEqual(others.map(() => false));
      }),
      { numRuns: 300 },
    );
  });

  it('has the tiles that C2SP tlog-tiles counts for 70,000 leaves, and for 256', () => {
    const tiles = [...tilesOf(70_000)];
    const count = (level: number, isFull: boolean) =>
      tiles.filter((tile) => tile.level === level && (tile.width === tileWidth) === isFull).length;
    expect([count(0, true), count(0, false), count(1, true), count(1, false), count(2, false)]).toEqual([
      273, 1, 1, 1, 1,
    ]);
    expect(tiles.filter(({ width }) => width < tileWidth).map(({ level, width }) => [level, width])).toEqual([
      [0, 112],
      [1, 17],
      [2, 1],
    ]);
    expect([...tilesOf(256)]).toEqual([
      { level: 0, index: 0, width: 256 },
      { level: 1, index: 0, width: 1 },
    ]);
  });
});

describe('the path of a tile', () => {
  it.each([
    [{ level: 0, index: 0, width: 256 }, '0/000'],
    [{ level: 1, index: 1_234_067, width: 256 }, '1/x001/x234/067'],
    [{ level: 2, index: 999, width: 17 }, '2/999.p/17'],
    [{ level: 63, index: 1_000, width: 1 }, '63/x001/000.p/1'],
  ])('of %j is %s', (tile, path) => {
    expect(tilePath(tile)).toBe(path);
    expect(parseTilePath(path)).toEqual(tile);
  });

  it('leads to a bundle of entries as well', () => {
    expect(bundlePath(1_234_067, 5)).toBe('entries/x001/x234/067.p/5');
    expect(parseTilePath('entries/x001/x234/067.p/5')).toEqual({ bundle: true, index: 1_234_067, width: 5 });
  });

  it.each([
    '',
    '0',
    '0/0',
    '0/1',
    '00/001',
    '64/001',
    '0/000/001',
    '0/x001',
    '0/x1/001',
    '0/x000/001',
    '0/001.p/0',
    '0/001.p/256',
    '0/001.p/01',
    '0/001.p',
    'entries/',
    '-1/001',
    '0/001 ',
    '1e1/001',
    '0/x999/x999/x999/x999/x999/x999/999',
  ])('is not %j', (path) => expect(parseTilePath(path)).toBeNull());
});
