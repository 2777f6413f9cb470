import { Injectable } from '@nestjs/common';
import { Database, migration } from '@app/read-store';
import { bundleOf, entryBytes, hashBytes, hashesIn, joined, TiledTree, tileWidth, TreeEdge } from '@app/transparency';
import type { Hash, LogEntry, TileName } from '@app/transparency';
import { leafOf, nodeOf } from './covered-events';
import { insertLeaves, partialTiles, upsertTiles } from './log-statements';

/** An entry, with its event's position in the whole store. */
export interface PlacedEntry {
  readonly position: number;
  readonly entry: LogEntry;
}

/** An entry with its index in the tree. */
export interface PlacedLeaf extends PlacedEntry {
  readonly index: number;
}

/** How far the log is built: its number of leaves, and the position that they cover. */
export interface LogPlace {
  readonly size: number;
  readonly position: number;
}

export const logMigrations = [
  // Derived from the events and rebuildable: whatever a crash of PostgreSQL undoes is built again.
  migration(
    540,
    'CreateTransparencyLog',
    `
      CREATE TABLE transparency_log (one boolean PRIMARY KEY DEFAULT true CHECK (one), size bigint NOT NULL, position bigint NOT NULL);
      INSERT INTO transparency_log (size, position) VALUES (0, 0);
      CREATE TABLE transparency_leaves (
        index bigint PRIMARY KEY, position bigint NOT NULL, stream text NOT NULL, revision bigint NOT NULL, id text NOT NULL,
        type text NOT NULL, data_sha256 bytea NOT NULL, metadata_sha256 bytea NOT NULL);
      CREATE INDEX transparency_leaves_position ON transparency_leaves (position);
      CREATE TABLE transparency_tiles (
        level smallint NOT NULL, index bigint NOT NULL, hashes bytea NOT NULL, PRIMARY KEY (level, index));
    `,
  ),
  // Lets a stream be compared with the log, including events that it has lost.
  migration(
    541,
    'IndexTransparencyLeaves',
    'CREATE INDEX transparency_leaves_stream ON transparency_leaves (stream, revision);',
  ),
];

interface LeafRow {
  readonly index: number;
  readonly position: number;
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
}

/** Number of newest leaves searched for the most recently changed streams. */
const newestLeaves = 1_000;

const leafColumns =
  "index, position, stream, revision, id, type, encode(data_sha256, 'hex') AS data, encode(metadata_sha256, 'hex') AS metadata";

/** The tree in PostgreSQL: leaves with entries, full tiles of level 0, all above. Every method throws Unavailable. */
@Injectable()
export class LogTables {
  constructor(private readonly database: Database) {}

  async place(): Promise<LogPlace> {
    const [place] = await this.database.query<LogPlace>('SELECT size, position FROM transparency_log');
    return place ?? { size: 0, position: 0 };
  }

  /** The edge of the tree of all leaves, from which it grows. */
  async edge(size: number): Promise<TreeEdge> {
    const levels: Hash[][] = [];
    for (let [level, hashes] = [0, size]; hashes > 0; level += 1, hashes = Math.floor(hashes / tileWidth)) {
      const width = hashes % tileWidth;
      const index = Math.floor(hashes / tileWidth);
      levels.push(width === 0 ? [] : hashesIn(await this.tile({ level, index, width })));
    }
    return new TreeEdge(size, levels, nodeOf);
  }

  /** Adds leaves and advances the place, all or nothing. @throws also if another process has added to it */
  async add(from: LogPlace, entries: readonly PlacedEntry[], edge: TreeEdge, position: number): Promise<LogPlace> {
    const full = entries.flatMap(({ entry }) => edge.append(leafOf(entry)));
    const size = from.size + entries.length;
    const tiles = [...full, ...partialTiles(edge, full)];
    await this.database.all([
      // A crash of PostgreSQL may undo this; rebuilding gives the same result.
      { text: "SELECT set_config('synchronous_commit', 'off', true)", values: [] },
      ...(entries.length === 0 ? [] : [insertLeaves(from.size, entries)]),
      ...(tiles.length === 0 ? [] : [upsertTiles(tiles)]),
      {
        text: 'UPDATE transparency_log SET size = $1, position = greatest(position, $2) WHERE size = $3',
        values: [size, position, from.size],
      },
    ]);
    return { size, position };
  }

  /** The hashes of a tile. @throws RangeError if fewer exist */
  async tile({ level, index, width }: TileName): Promise<Uint8Array> {
    if (level === 0 && width < tileWidth) {
      const entries = await this.entries(index * tileWidth, width);
      return joined(entries.map(({ entry }) => leafOf(entry)));
    }
    const [tile] = await this.database.query<{ hashes: Buffer }>(
      'SELECT hashes FROM transparency_tiles WHERE level = $1 AND index = $2',
      [level, index],
    );
    const hashes = tile?.hashes.subarray(0, width * hashBytes);
    if (hashes?.length !== width * hashBytes) throw new RangeError(`there is no tile ${level}/${index} of ${width}`);
    return hashes;
  }

  /** The tree of `size` leaves, for making proofs. */
  tree(size: number): TiledTree {
    return new TiledTree(size, (name) => this.tile(name));
  }

  /** The root of the tree of `size` leaves; null if tiles for it are missing. */
  async rootOf(size: number): Promise<Hash | null> {
    try {
      return await this.tree(size).root();
    } catch (error) {
      if (error instanceof RangeError) return null; // a tile is missing or incomplete
      throw error;
    }
  }

  /** Entries in the served format. @throws RangeError if fewer exist */
  async bundle(index: number, width: number): Promise<Uint8Array> {
    return bundleOf((await this.entries(index * tileWidth, width)).map(({ entry }) => entryBytes(entry)));
  }

  /** `count` entries, starting at an index. @throws RangeError if fewer exist */
  async entries(from: number, count: number): Promise<PlacedEntry[]> {
    const rows = await this.leavesFrom(from, from + count);
    if (rows.length !== count) throw new RangeError(`there are no ${count} entries from ${from} on`);
    return rows;
  }

  /** The existing entries from an index up to, not including, another one. */
  async leavesFrom(from: number, to: number): Promise<PlacedLeaf[]> {
    const rows = await this.database.query<LeafRow>(
      `SELECT ${leafColumns} FROM transparency_leaves WHERE index >= $1 AND index < $2 ORDER BY index`,
      [from, to],
    );
    return rows.map(placedLeaf);
  }

  /** The log's next leaves of a stream, starting at a revision. */
  async leavesOf(stream: string, fromRevision: number, count: number): Promise<PlacedLeaf[]> {
    const rows = await this.database.query<LeafRow>(
      `SELECT ${leafColumns} FROM transparency_leaves
       WHERE stream = $1 AND revision >= $2 ORDER BY revision, index LIMIT $3`,
      [stream, fromRevision, count],
    );
    return rows.map(placedLeaf);
  }

  /** The streams with leaves, sorted by name, after a name; each with the revision of its last leaf. */
  async streamsAfter(after: string, count: number): Promise<{ readonly stream: string; readonly last: number }[]> {
    return this.database.query(
      `SELECT stream, max(revision) AS last FROM transparency_leaves WHERE stream > $1 GROUP BY stream ORDER BY stream LIMIT $2`,
      [after, count],
    );
  }

  /** Revision of the last event of a stream that the log has; -1 if it has none. */
  async lastRevisionOf(stream: string): Promise<number> {
    const [last] = await this.database.query<{ revision: number }>(
      'SELECT revision FROM transparency_leaves WHERE stream = $1 ORDER BY revision DESC LIMIT 1',
      [stream],
    );
    return last?.revision ?? -1;
  }

  /** The event of the last leaf; null if there is none, or leaves before it are missing for any reason. */
  async lastOfAll(): Promise<{ readonly stream: string; readonly revision: number; readonly position: number } | null> {
    const [last] = await this.database.query<{ stream: string; revision: number; position: number }>(
      `SELECT stream, revision, position FROM transparency_leaves
       WHERE index = (SELECT max(index) FROM transparency_leaves HAVING count(*) = max(index) + 1)`,
    );
    return last ?? null;
  }

  /** The last leaves of the most recently changed streams, one for each stream, newest first. */
  async newestOfStreams(count: number): Promise<PlacedLeaf[]> {
    const rows = await this.database.query<LeafRow>(
      `SELECT * FROM (SELECT DISTINCT ON (stream) ${leafColumns} FROM
         (SELECT * FROM transparency_leaves ORDER BY index DESC LIMIT $1) AS newest ORDER BY stream, index DESC) AS each
       ORDER BY index DESC LIMIT $2`,
      [newestLeaves, count],
    );
    return rows.map(placedLeaf);
  }

  /** The index of the leaf of an event; null if the log does not have it (yet). */
  async indexOf({ position, entry: { stream, revision } }: PlacedEntry): Promise<number | null> {
    const [leaf] = await this.database.query<{ index: number }>(
      'SELECT index FROM transparency_leaves WHERE position = $1 AND stream = $2 AND revision = $3',
      [position, stream, revision],
    );
    return leaf?.index ?? null;
  }
}

function placedLeaf({ index, position, stream, revision, id, type, data, metadata }: LeafRow): PlacedLeaf {
  return { index, position, entry: { stream, revision, id, type, dataSha256: data, metadataSha256: metadata } };
}
