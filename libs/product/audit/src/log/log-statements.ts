import type { Statement } from '@app/read-store';
import { joined, tileWidth, type FullTile, type LogEntry, type TreeEdge } from '@app/transparency';

interface Placed {
  readonly position: number;
  readonly entry: LogEntry;
}

/** Inserts entries as leaves, starting at index `first`. */
export function insertLeaves(first: number, entries: readonly Placed[]): Statement {
  const columns = [
    entries.map((_, at) => first + at),
    entries.map(({ position }) => position),
    entries.map(({ entry }) => entry.stream),
    entries.map(({ entry }) => entry.revision),
    entries.map(({ entry }) => entry.id),
    entries.map(({ entry }) => entry.type),
    entries.map(({ entry }) => `\\x${entry.dataSha256}`),
    entries.map(({ entry }) => `\\x${entry.metadataSha256}`),
  ];
  return {
    text: `INSERT INTO transparency_leaves
           SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::bytea[], $8::bytea[])`,
    values: columns,
  };
}

/** The tiles above level 0 that changed and are not full. */
export function partialTiles(edge: TreeEdge, full: readonly FullTile[]): FullTile[] {
  const grown = new Set(full.map(({ level }) => level + 1));
  return [...grown].flatMap((level) => {
    const hashes = edge.partial[level] ?? [];
    if (hashes.length === 0) return [];
    return [{ level, index: Math.floor(edge.size / tileWidth ** (level + 1)), hashes: joined(hashes) }];
  });
}

/** Inserts tiles or replaces those that exist. */
export function upsertTiles(tiles: readonly FullTile[]): Statement {
  return {
    text: `INSERT INTO transparency_tiles
           SELECT * FROM unnest($1::smallint[], $2::bigint[], $3::bytea[])
           ON CONFLICT (level, index) DO UPDATE SET hashes = excluded.hashes`,
    values: [
      tiles.map(({ level }) => level),
      tiles.map(({ index }) => index),
      tiles.map(({ hashes }) => Buffer.from(hashes)),
    ],
  };
}
