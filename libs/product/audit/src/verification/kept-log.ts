import { bundlePath, entriesIn, entryBytes, hashBytes, hashesIn, tilePath, tileWidth } from '@app/transparency';
import type { TileName } from '@app/transparency';
import type { LogTables } from '../log/log-tables';
import { leafOfBytes, type Leaf } from './leaf';

/** The log's copy of the leaves and tiles, wherever it is stored. */
export interface KeptLog {
  readonly size: number;
  /** Position of the last event that it has processed; null if it does not say. */
  readonly coveredUpTo: number | null;
  /** Whether its leaves include the entries that they are hashes of. */
  readonly hasEntries: boolean;
  /** Leaves in order; missing ones are skipped, and after many missing ones in a row all the others. */
  leaves(this: void): AsyncIterable<Leaf>;
  /** Null if it is missing. */
  tile(this: void, name: TileName): Promise<Uint8Array | null>;
}

/** Files of a log, by their paths in C2SP tlog-tiles: in a folder, a bucket or a service. */
export interface LogFiles {
  /** Null if there is no file at that path. */
  read(this: void, path: string): Promise<Uint8Array | null>;
}

/** After so many files in a row that are missing or unreadable, the remaining ones count as missing too. */
const missingMax = 64;
/** A few hundred kilobytes. */
const pageLeaves = 1_024;

/** The log in the tables, next to the stores. Throws Unavailable. */
export async function keptInTables(tables: LogTables): Promise<KeptLog> {
  const { size, position } = await tables.place();
  return {
    size,
    coveredUpTo: position,
    hasEntries: true,
    async *leaves() {
      for (let from = 0; from < size;) {
        const page = await tables.leavesFrom(from, Math.min(size, from + pageLeaves));
        for (const { index, entry } of page) yield leafOfBytes(entryBytes(entry), index);
        from += pageLeaves;
      }
    },
    tile: (name) => tables.tile(name).catch(nullWhereMissing),
  };
}

function nullWhereMissing(error: unknown): null {
  if (error instanceof RangeError) return null;
  throw error;
}

/** @param size of the checkpoint that covers the files. @param hasEntries whether bundles of entries can be read */
export function keptInFiles(files: LogFiles, size: number, hasEntries: boolean): KeptLog {
  const tile = (name: TileName) => readFile(files, tilePath(name), name);
  return {
    size,
    coveredUpTo: null,
    hasEntries,
    async *leaves() {
      // The size is that of a checkpoint, which may be forged: where the files end, the loop ends as well.
      for (let [index, missing] = [0, 0]; index * tileWidth < size && missing < missingMax; index += 1) {
        const width = Math.min(tileWidth, size - index * tileWidth);
        const leaves = hasEntries
          ? await bundleLeaves(files, index, width)
          : tileLeaves(await tile({ level: 0, index, width }), index);
        missing = leaves.length === 0 ? missing + 1 : 0;
        yield* leaves;
      }
    },
    tile,
  };
}

/** A file with another number of hashes counts as missing, because it is not that tile. */
async function readFile(files: LogFiles, path: string, { width }: TileName): Promise<Uint8Array | null> {
  const bytes = await files.read(`tile/${path}`);
  return bytes !== null && bytes.length === width * hashBytes ? bytes : null;
}

async function bundleLeaves(files: LogFiles, index: number, width: number): Promise<Leaf[]> {
  const bundle = await files.read(`tile/${bundlePath(index, width)}`);
  const entries = bundle === null ? [] : (entriesIn(bundle) ?? []);
  return entries.map((entry, at) => leafOfBytes(entry, index * tileWidth + at));
}

function tileLeaves(tile: Uint8Array | null, index: number): Leaf[] {
  const hashes = tile === null ? [] : hashesIn(tile);
  return hashes.map((hash, at) => ({ hash, entry: null, at: index * tileWidth + at }));
}
