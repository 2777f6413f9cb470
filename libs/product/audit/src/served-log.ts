import { Injectable } from '@nestjs/common';
import { Unavailable } from '@app/kernel';
import { GroupLoader } from '@app/runtime';
import { hashBytes, parseTilePath, tilePath, tileWidth, type TileName } from '@app/transparency';
import { LRUCache } from 'lru-cache';
import { Checkpoints } from './checkpoints';
import type { CheckpointsState, SignedCheckpoint } from './checkpoints.decider';
import { LogTables } from './log-tables';

/** A process asks the store for checkpoints no more often than this, but for who asks for more than the last one covered. */
const knownForMs = 500;
/** Readers of the log take at most so many connections to the database from everybody else. */
const tilesAtOnce = 4;
const tilesWaitingMax = 1_000;
/** Some hundred tiles: all who follow the log ask for the same ones, at its edge. */
const tilesBytesMax = 4_000_000;

/** The log as everybody may read it: what the newest signed checkpoint covers. Every method throws Unavailable. */
@Injectable()
export class ServedLog {
  private known: { readonly atMs: number; readonly state: CheckpointsState } | null = null;
  private asking: Promise<CheckpointsState> | null = null;
  private readonly tiles = new LRUCache<string, Uint8Array>({
    maxSize: tilesBytesMax,
    sizeCalculation: ({ length }) => length + hashBytes,
  });
  private readonly loader = new GroupLoader<TileName, Uint8Array>(
    (names) => Promise.all(names.map((name) => this.tables.tile(name))),
    { batchMax: tilesAtOnce, waitingMax: tilesWaitingMax },
  );

  constructor(
    private readonly checkpoints: Checkpoints,
    private readonly tables: LogTables,
  ) {}

  /** The name of the log, which is also that of the deployment; null until it is opened, within a minute of the first start. */
  async origin(): Promise<string | null> {
    return (await this.recent()).origin;
  }

  /** Null as long as there is none. */
  async newest(): Promise<SignedCheckpoint | null> {
    return (await this.recent()).signed.at(-1) ?? null;
  }

  /** The public keys that ever signed, the newest first. */
  async keys(): Promise<readonly string[]> {
    return (await this.recent()).keys.toReversed();
  }

  /** The hashes at a path under `tile/`; null for one that is no tile's, and for a tile that the log does not have yet. */
  async tile(path: string): Promise<Uint8Array | null> {
    const name = parseTilePath(path);
    if (name === null || 'bundle' in name || !(await this.covers(name))) return null;
    const key = tilePath(name);
    const known = this.tiles.get(key);
    if (known !== undefined) return known;
    const tile = await orUnavailable(this.loader.load(name));
    this.tiles.set(key, tile);
    return tile;
  }

  /** The entries at a path under `tile/`; null as for a tile. */
  async bundle(path: string): Promise<Uint8Array | null> {
    const name = parseTilePath(path);
    if (name === null || !('bundle' in name)) return null;
    const { index, width } = name;
    return (await this.covers({ level: 0, index, width })) ? orUnavailable(this.tables.bundle(index, width)) : null;
  }

  private async covers({ level, index, width }: TileName): Promise<boolean> {
    const isWithin = ({ signed }: CheckpointsState) =>
      index * tileWidth + width <= Math.floor((signed.at(-1)?.size ?? 0) / tileWidth ** level);
    // A reader with a checkpoint from another process asks for what it covers.
    return isWithin(await this.recent()) || isWithin(await this.ask());
  }

  private async recent(): Promise<CheckpointsState> {
    const { known } = this;
    return known !== null && performance.now() - known.atMs < knownForMs ? known.state : this.ask();
  }

  /** One question at a time, for all who ask. */
  private ask(): Promise<CheckpointsState> {
    this.asking ??= this.readCheckpoints().finally(() => (this.asking = null));
    return this.asking;
  }

  private async readCheckpoints(): Promise<CheckpointsState> {
    const state = await this.checkpoints.current();
    this.known = { atMs: performance.now(), state };
    return state;
  }
}

/** What was signed and is not in the tables is being built again, or cannot be: `/readyz` says which. */
async function orUnavailable<Value>(reading: Promise<Value>): Promise<Value> {
  return reading.catch((error: unknown) => {
    throw error instanceof RangeError ? new Unavailable('database', { cause: error }) : error;
  });
}
