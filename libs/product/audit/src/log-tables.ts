import { Injectable } from '@nestjs/common';
import { Database, migration } from '@app/read-store';
import { bundleOf, entryBytes, hashBytes, hashesIn, joined, TiledTree, tileWidth, TreeEdge } from '@app/transparency';
import type { Hash, LogEntry, TileName } from '@app/transparency';
import { leafOf, nodeOf } from './covered-events';
import { insertLeaves, partialTiles, upsertTiles } from './log-statements';

/** An entry, and where its event lies in the whole store. */
export interface PlacedEntry {
  readonly position: number;
  readonly entry: LogEntry;
}

/** An entry with its place in the tree. */
export interface PlacedLeaf extends PlacedEntry {
  readonly index: number;
}

/** How far the log has been built: its leaves, and the position that they go up to. */
export interface LogPlace {
  readonly size: number;
  readonly position: number;
}

export const logMigrations = [
  // Follows from the events, and can be built again from them: what a crash of PostgreSQL takes back is built again.
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
  // A stream can be held against the log, also for what it has lost.
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

/** The leaves among which the streams that changed last are found. */
const newestLeaves = 1_000;

const leafColumns =
  "index, position, stream, revision, id, type, encode(data_sha256, 'hex') AS data, encode(metadata_sha256, 'hex') AS metadata";

/**
 * The tree as PostgreSQL keeps it: its leaves with their entries, the full tiles of level 0, and all tiles above. Every method throws
 * Unavailable.
 */
@Injectable()
export class LogTables {
  constructor(private readonly database: Database) {}

  async place(): Promise<LogPlace> {
    const [place] = await this.database.query<LogPlace>('SELECT size, position FROM transparency_log');
    return place ?? { size: 0, position: 0 };
  }

  /** The edge of the tree of all leaves, to grow it from. */
  async edge(size: number): Promise<TreeEdge> {
    const levels: Hash[][] = [];
    for (let [level, hashes] = [0, size]; hashes > 0; level += 1, hashes = Math.floor(hashes / tileWidth)) {
      const width = hashes % tileWidth;
      const index = Math.floor(hashes / tileWidth);
      levels.push(width === 0 ? [] : hashesIn(await this.tile({ level, index, width })));
    }
    return new TreeEdge(size, levels, nodeOf);
  }

  /**
   * Adds leaves, and moves the place, all or nothing. @throws also where the log is not of that size any more: another process has built on.
   */
  async add(from: LogPlace, entries: readonly PlacedEntry[], edge: TreeEdge, position: number): Promise<LogPlace> {
    const full = entries.flatMap(({ entry }) => edge.append(leafOf(entry)));
    const size = from.size + entries.length;
    const tiles = [...full, ...partialTiles(edge, full)];
    await this.database.all([
      // A crash of PostgreSQL may take it back; it is built again, and comes to the same.
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

  /** The hashes of a tile. @throws RangeError where there are not so many */
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

  /** The tree of so many leaves, to make proofs from. */
  tree(size: number): TiledTree {
    return new TiledTree(size, (name) => this.tile(name));
  }

  /** The root of the tree of so many leaves; null where the tables do not lead there. */
  async rootOf(size: number): Promise<Hash | null> {
    try {
      return await this.tree(size).root();
    } catch (error) {
      if (error instanceof RangeError) return null; // a tile is missing, or not whole
      throw error;
    }
  }

  /** Entries as they are served. @throws RangeError where there are not so many */
  async bundle(index: number, width: number): Promise<Uint8Array> {
    return bundleOf((await this.entries(index * tileWidth, width)).map(({ entry }) => entryBytes(entry)));
  }

  /** So many entries, from an index on. @throws RangeError where there are not so many */
  async entries(from: number, count: number): Promise<PlacedEntry[]> {
    const rows = await this.leavesFrom(from, from + count);
    if (rows.length !== count) throw new RangeError(`there are no ${count} entries from ${from} on`);
    return rows;
  }

  /** The entries from an index up to another one, as far as they are there. */
  async leavesFrom(from: number, to: number): Promise<PlacedLeaf[]> {
    const rows = await this.database.query<LeafRow>(
      `SELECT ${leafColumns} FROM transparency_leaves WHERE index >= $1 AND index < $2 ORDER BY index`,
      [from, to],
    );
    return rows.map(placedLeaf);
  }

  /** What the log has of a stream's events, from a revision on. */
  async leavesOf(stream: string, fromRevision: number, count: number): Promise<PlacedLeaf[]> {
    const rows = await this.database.query<LeafRow>(
      `SELECT ${leafColumns} FROM transparency_leaves
       WHERE stream = $1 AND revision >= $2 AND revision < $3 ORDER BY revision, index`,
      [stream, fromRevision, fromRevision + count],
    );
    return rows.map(placedLeaf);
  }

  /** The streams of which the log has leaves, by name, after one, each with the revision of its last leaf. */
  async streamsAfter(after: string, count: number): Promise<{ readonly stream: string; readonly last: number }[]> {
    return this.database.query(
      `SELECT stream, max(revision) AS last FROM transparency_leaves WHERE stream > $1 GROUP BY stream ORDER BY stream LIMIT $2`,
      [after, count],
    );
  }

  /** Of the last event of a stream that the log has; -1 where it has none. */
  async lastRevisionOf(stream: string): Promise<number> {
    const [last] = await this.database.query<{ revision: number }>(
      'SELECT revision FROM transparency_leaves WHERE stream = $1 ORDER BY revision DESC LIMIT 1',
      [stream],
    );
    return last?.revision ?? -1;
  }

  /** The event of the last leaf; null where there is none, or where leaves before it are missing, whoever took them. */
  async lastOfAll(): Promise<{ readonly stream: string; readonly revision: number; readonly position: number } | null> {
    const [last] = await this.database.query<{ stream: string; revision: number; position: number }>(
      `SELECT stream, revision, position FROM transparency_leaves
       WHERE index = (SELECT max(index) FROM transparency_leaves HAVING count(*) = max(index) + 1)`,
    );
    return last ?? null;
  }

  /** The last leaves of the streams that changed last, each of another stream, the newest first. */
  async newestOfStreams(count: number): Promise<PlacedLeaf[]> {
    const rows = await this.database.query<LeafRow>(
      `SELECT * FROM (SELECT DISTINCT ON (stream) ${leafColumns} FROM
         (SELECT * FROM transparency_leaves ORDER BY index DESC LIMIT $1) AS newest ORDER BY stream, index DESC) AS each
       ORDER BY index DESC LIMIT $2`,
      [newestLeaves, count],
    );
    return rows.map(placedLeaf);
  }

  /** Which leaf an event at that position is; null where the log does not have it, or not yet. */
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
