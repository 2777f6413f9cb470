import type { EventStore } from '@app/event-store';
import type { Database } from '../database/database';
import type { Stall } from './followed-tables';
import { categoriesOf, type AnyProjection } from '../read-models/projection';
import { lockTables } from '../tables/table-making';
import type { RebuildOutcome } from '../tables/rebuild';
import { executeOf } from '../postgres/statement';

/** A read model as operators see it. */
export interface ProjectionState {
  readonly name: string;
  /** Version of this program's projection. */
  readonly version: number;
  readonly state: 'live' | 'behind' | 'stalled' | 'building';
  /** The live table; null while this version's is being built. */
  readonly table: string | null;
  /** Position of the table that is read, or of the one being built. */
  readonly position: number;
  /** Positions of the store that it has not passed, and if there are any, the time since it last moved. */
  readonly lag: { readonly positions: number; readonly seconds: number };
  /** Recent rate of the events that concern it. */
  readonly eventsPerSecond: number;
  readonly stalled: Stall | null;
}

export interface SkippedEvent {
  readonly projection: string;
  readonly stream: string;
  readonly revision: number;
  readonly reason: string;
  readonly error: string;
  readonly skippedAt: Date;
}

/** Lag beyond which a read model is reported as behind; a working projector never lags this long. */
const behindAfterSeconds = 5;
const skippedListedMax = 1_000;

/** Positions of this program's read models, and the events that they skip. */
export class ProjectionStates {
  constructor(
    private readonly database: Database,
    private readonly store: EventStore,
    private readonly projections: readonly AnyProjection[],
  ) {}

  /** The state of each read model of this program. Throws Unavailable. */
  async list(): Promise<ProjectionState[]> {
    // The end is read first, so that events appended meanwhile do not count as lag.
    const ends = new Map<string, number>();
    for (const projection of this.projections)
      ends.set(projection.name, await this.store.endPositionOf(categoriesOf([projection])));
    const rows = await this.database.query<TableRow>(
      `SELECT t.projection, t.version, t.state = 'live' AS "isLive", table_name AS "table", p.position, t.stalled,
         round(CASE t.state WHEN 'live' THEN p.events_per_second ELSE r.events_per_second END)::int AS "eventsPerSecond",
         extract(epoch FROM now() - p.moved_at)::float8 AS seconds
       FROM read_model_tables AS t JOIN read_model_positions AS p USING (table_name) LEFT JOIN read_model_rebuilds AS r USING (table_name)
       WHERE t.state = 'live' OR (t.state = 'building' AND r.of_new_version) ORDER BY t.state = 'live' DESC`,
    );
    return this.projections.map(({ name, version }) => {
      const row = rows.find((one) => one.projection === name && one.version === version);
      return stateOf({ name, version }, row, ends.get(name) ?? 0);
    });
  }

  /** The skipped events, newest first. */
  async skipped(): Promise<SkippedEvent[]> {
    return this.database.query<SkippedEvent>(
      `SELECT projection, stream, revision, reason, error, skipped_at AS "skippedAt" FROM skipped_events
       ORDER BY skipped_at DESC LIMIT ${skippedListedMax}`,
    );
  }

  /** Lets a projection skip the event at which it is stalled, as does every table of it that is built later. Idempotent. */
  async skip(
    projection: string,
    event: { readonly stream: string; readonly revision: number },
    reason: string,
  ): Promise<RebuildOutcome> {
    if (!this.projections.some(({ name }) => name === projection)) return { kind: 'not_found' };
    const { stream, revision } = event;
    return this.database.transaction(async (manager) => {
      const execute = executeOf(manager);
      await lockTables(execute);
      const key = [projection, stream, revision];
      const known = await execute(
        'SELECT 1 FROM skipped_events WHERE projection = $1 AND stream = $2 AND revision = $3',
        key,
      );
      if (known.length > 0) return { kind: 'done' };
      const freed = await execute<{ stalled: Stall }>(
        `SELECT stalled FROM read_model_tables
         WHERE projection = $1 AND stalled->>'stream' = $2 AND (stalled->>'revision')::bigint = $3`,
        key,
      );
      const [first] = freed;
      if (first === undefined)
        return { kind: 'refused', reason: 'projection_state', why: 'the read model is not stalled at that event' };
      await execute(
        'INSERT INTO skipped_events (projection, stream, revision, reason, error) VALUES ($1, $2, $3, $4, $5)',
        [...key, reason, first.stalled.error],
      );
      await execute(
        `UPDATE read_model_tables SET stalled = NULL
         WHERE projection = $1 AND stalled->>'stream' = $2 AND (stalled->>'revision')::bigint = $3`,
        key,
      );
      return { kind: 'done' };
    });
  }
}

/** A live table, or the first one of a version, which is being built. */
interface TableRow {
  readonly projection: string;
  readonly version: number;
  readonly isLive: boolean;
  readonly table: string;
  readonly position: number;
  readonly stalled: Stall | null;
  readonly eventsPerSecond: number;
  readonly seconds: number;
}

function stateOf(
  { name, version }: Pick<AnyProjection, 'name' | 'version'>,
  row: TableRow | undefined,
  end: number,
): ProjectionState {
  const { position, eventsPerSecond, stalled, seconds } = row ?? unbuilt;
  const positions = Math.max(0, end - position);
  if (row?.isLive !== true)
    return {
      name,
      version,
      state: 'building',
      table: null,
      position,
      lag: { positions, seconds: 0 },
      eventsPerSecond,
      stalled,
    };
  const lag = { positions, seconds: position < end ? seconds : 0 };
  const state = stalled !== null ? 'stalled' : lag.seconds > behindAfterSeconds ? 'behind' : 'live';
  return { name, version, state, table: row.table, position, lag, eventsPerSecond, stalled };
}

const unbuilt = { position: 0, eventsPerSecond: 0, stalled: null, seconds: 0 };
