import { Injectable } from '@nestjs/common';
import { Unavailable } from '@app/kernel';
import { GroupLoader } from '@app/runtime';
import { hashBytes, parseTilePath, tilePath, tileWidth, type TileName } from '@app/transparency';
import { LRUCache } from 'lru-cache';
import { Checkpoints } from '../signing/checkpoints';
import type { CheckpointsState, SignedCheckpoint } from '../checkpoints/checkpoints.decider';
import { LogTables } from '../log/log-tables';

/** How long a process reuses the checkpoints that it has read, unless a reader asks for more than they cover. */
const knownForMs = 500;
/** Maximum number of database connections that readers of the log use. */
const tilesAtOnce = 4;
const tilesWaitingMax = 1_000;
/** A few hundred tiles: all followers of the log read the same ones, at its edge. */
const tilesBytesMax = 4_000_000;

/** The public view of the log: what the newest signed checkpoint covers. Every method throws Unavailable. */
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

  /** The log's origin, which names the deployment; null until it is opened, within a minute of the first start. */
  async origin(): Promise<string | null> {
    return (await this.recent()).origin;
  }

  /** The newest signed checkpoint; null while there is none. */
  async newest(): Promise<SignedCheckpoint | null> {
    return (await this.recent()).signed.at(-1) ?? null;
  }

  /** The public keys that ever signed, newest first. */
  async keys(): Promise<readonly string[]> {
    return (await this.recent()).keys.toReversed();
  }

  /** The hashes at a path under `tile/`; null for any other path, and for tiles that the log lacks yet. */
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
    // A reader may have a newer checkpoint from another process.
    return isWithin(await this.recent()) || isWithin(await this.ask());
  }

  private async recent(): Promise<CheckpointsState> {
    const { known } = this;
    return known !== null && performance.now() - known.atMs < knownForMs ? known.state : this.ask();
  }

  /** One read at a time, shared by all callers. */
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

/** Tiles that were signed and are not in the tables are being rebuilt, or cannot be: `/readyz` says which. */
async function orUnavailable<Value>(reading: Promise<Value>): Promise<Value> {
  return reading.catch((error: unknown) => {
    throw error instanceof RangeError ? new Unavailable('database', { cause: error }) : error;
  });
}
