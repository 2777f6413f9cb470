import { quotedExactly } from '@app/kernel';
import {
  bundlePath,
  parseCheckpoint,
  parseNote,
  sameHash,
  textOf,
  tilePath,
  tilesOf,
  tileWidth,
  utf8,
  type Checkpoint,
  type TileName,
} from '@app/transparency';
import type { LogTables } from './log/log-tables';
import type { LogFiles } from './verification/kept-log';

/** A place to which a log can be exported. */
export interface WritableLogFiles extends LogFiles {
  /** Whether there is a file at that path. */
  has(this: void, path: string): Promise<boolean>;
  /** Writes the whole file or nothing. */
  write(this: void, path: string, bytes: Uint8Array): Promise<void>;
  /** Removes a file if it exists and the place permits it. */
  remove(this: void, path: string): Promise<void>;
}

/** The log cannot be exported there; the message says why. */
export class CannotExport extends Error {}

/** The result of an export. */
export interface Exported {
  readonly size: number;
  /** Number of leaves that were there before. */
  readonly before: number;
  readonly files: number;
}

type OnProgress = (files: number, of: number) => void;

const checkpointPath = 'checkpoint';
/** Number of files written in parallel, because a bucket has a latency for each. */
const lanes = 8;

/**
 * Writes the log up to a checkpoint, with its entries: everything that is missing, and the checkpoint last, so that the
 * files are a complete log at any time. @param note the checkpoint, with the lines of its witnesses. Source of the
 * paths: C2SP tlog-tiles. @throws CannotExport if the log contradicts the checkpoint or the files that exist;
 * Unavailable
 */
export async function exportLog(
  tables: LogTables,
  note: string,
  files: WritableLogFiles,
  onProgress: OnProgress,
): Promise<Exported> {
  const checkpoint = checkpointIn(note);
  if (checkpoint === null) throw new CannotExport('the newest checkpoint cannot be read');
  const before = await exported(files);
  await refuseUnlike(tables, checkpoint, before);
  const { size } = checkpoint;
  const old = before?.size ?? 0;
  // The old checkpoint implies these files, but some may have been removed since.
  const present = await presentOf([...tilesOf(old)].flatMap(pathsOf), files);
  const writes = [...tilesOf(size)].flatMap((tile) => writesOf(tables, tile)).filter(({ path }) => !present.has(path));
  const noteThere = textOf((await files.read(checkpointPath)) ?? new Uint8Array());
  const last: Write[] = noteThere === note ? [] : [{ path: checkpointPath, read: () => Promise.resolve(utf8(note)) }];
  let done = 0;
  const write = async ({ path, read }: Write): Promise<void> => {
    await files.write(path, await read());
    onProgress((done += 1), writes.length + last.length);
  };
  await inLanes(writes, write);
  for (const one of last) await write(one);
  const kept = new Set([...tilesOf(size)].flatMap(pathsOf));
  const outdated = [...tilesOf(old)].filter(({ width }) => width < tileWidth).flatMap(pathsOf);
  for (const path of size > old ? outdated : []) if (!kept.has(path)) await files.remove(path);
  return { size, before: old, files: writes.length + last.length };
}

/** The checkpoint of an earlier export; null if there is none. @throws CannotExport if its file cannot be parsed */
async function exported(files: LogFiles): Promise<Checkpoint | null> {
  const bytes = await files.read(checkpointPath);
  if (bytes === null) return null;
  const checkpoint = checkpointIn(textOf(bytes) ?? '');
  if (checkpoint === null) throw new CannotExport('what is there has a checkpoint that cannot be read');
  return checkpoint;
}

function checkpointIn(note: string): Checkpoint | null {
  return parseCheckpoint(parseNote(note)?.text ?? '');
}

async function refuseUnlike(tables: LogTables, signed: Checkpoint, before: Checkpoint | null): Promise<void> {
  const { origin, size, root } = signed;
  const tree = tables.tree(size);
  const { size: kept } = await tables.place();
  if (kept < size)
    throw new CannotExport(
      `the log signed ${size} leaves, and the database has ${kept}: it is still being built from the events, or is of an older copy than the event store (see /readyz)`,
    );
  const present = await tables.rootOf(size);
  if (present === null || !sameHash(present, root))
    throw new CannotExport('what the log keeps is not what it signed: see parley audit verify');
  if (before === null) return;
  if (before.origin !== origin)
    throw new CannotExport(`what is there is of another log, ${quotedExactly(before.origin)}`);
  if (before.size > size)
    throw new CannotExport(`what is there has ${before.size} leaves, and the log has signed ${size}`);
  if (!sameHash(await tree.root(before.size), before.root))
    throw new CannotExport('what is there is of another history than what the log says now');
}

interface Write {
  readonly path: string;
  read(this: void): Promise<Uint8Array>;
}

function writesOf(tables: LogTables, tile: TileName): Write[] {
  const [path = '', bundle] = pathsOf(tile);
  const hashes = { path, read: () => tables.tile(tile) };
  return bundle === undefined
    ? [hashes]
    : [hashes, { path: bundle, read: () => tables.bundle(tile.index, tile.width) }];
}

/** Paths of the tile and, at level 0, of its entries. */
function pathsOf(tile: TileName): string[] {
  const path = `tile/${tilePath(tile)}`;
  return tile.level === 0 ? [path, `tile/${bundlePath(tile.index, tile.width)}`] : [path];
}

async function presentOf(paths: readonly string[], files: WritableLogFiles): Promise<ReadonlySet<string>> {
  const present = new Set<string>();
  await inLanes(paths, async (path) => {
    if (await files.has(path)) present.add(path);
  });
  return present;
}

async function inLanes<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const rest = items[Symbol.iterator]();
  const lane = async (): Promise<void> => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
