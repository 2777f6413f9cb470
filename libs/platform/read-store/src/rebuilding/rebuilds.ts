import type { Database } from '../database/database';
import type { AnyProjection } from '../read-models/projection';
import { beginRebuild, endRebuild, selectRebuilds } from '../tables/rebuild';
import type { Difference, Rebuild, RebuildOutcome, RebuildPace, RebuildState } from '../tables/rebuild';
import { lockTables, retire } from '../tables/table-making';
import { type Execute, executeOf } from '../postgres/statement';

const done: RebuildOutcome = { kind: 'done' };
const notFound: RebuildOutcome = { kind: 'not_found' };
const refused = (why: string): RebuildOutcome => ({ kind: 'refused', reason: 'projection_state', why });

/**
 * How long the previous table is kept up to date after a switch, so that it can be read again at once; and a rebuilt one after a rollback.
 */
const keptFor = '1 hour';
const keptAfterRollBackFor = '1 minute';
const listedMax = 100;

/**
 * Commands of operators for rebuilds. Each call is one transaction and idempotent: if it has been done already, it returns `done`. The
 * `Rebuilder` does the work itself, in a worker.
 */
export class Rebuilds {
  constructor(
    private readonly database: Database,
    private readonly projections: readonly AnyProjection[],
  ) {}

  private readonly execute: Execute = (sql, parameters) => this.database.query(sql, parameters);

  /** Begins to build a read model while the live one is read. @param id chosen by the caller, so that the call can be repeated */
  async start(id: string, projection: string, reason: string, pace: RebuildPace = 'gentle'): Promise<RebuildOutcome> {
    const found = this.projections.find(({ name }) => name === projection);
    if (found === undefined) return notFound;
    return this.change(async (execute) => {
      const open = await execute<{ id: string }>(
        `SELECT id FROM read_model_rebuilds
         WHERE id = $1 OR (projection = $2 AND version = $3 AND state IN ('building', 'catching_up', 'comparing', 'ready'))`,
        [id, projection, found.version],
      );
      if (open.some((one) => one.id === id)) return done;
      if (open.length > 0) return refused(`the rebuild ${open[0]?.id} of ${projection} is not over`);
      const live = await execute(
        `SELECT 1 FROM read_model_tables WHERE projection = $1 AND version = $2 AND state = 'live'`,
        [projection, found.version],
      );
      await beginRebuild(execute, { id, projection: found, reason, pace, isOfNewVersion: live.length === 0 });
      return done;
    });
  }

  async find(id: string): Promise<Rebuild | null> {
    return (await selectRebuilds(this.execute, 'WHERE r.id = $1', [id]))[0] ?? null;
  }

  /** The newest ones first, a hundred at most. */
  async list(): Promise<Rebuild[]> {
    return selectRebuilds(this.execute, 'ORDER BY r.started_at DESC LIMIT $1', [listedMax]);
  }

  /** Differences by number, after the given one (0 for the first); if there are many, only the first ones are kept. */
  async differences(id: string, after: number, limit: number): Promise<Difference[]> {
    return this.database.query<Difference>(
      `SELECT number, kind, key, column_name AS "column", live, rebuilt FROM read_model_differences
       WHERE rebuild_id = $1 AND number > $2 ORDER BY number LIMIT $3`,
      [id, after, limit],
    );
  }

  /** Makes the rebuilt table live. @param digest that of the differences that the operator has seen, if there are any */
  async switchOver(id: string, digest: string | null): Promise<RebuildOutcome> {
    return this.changeOne(id, ['switched'], async (execute, { state, differences, projection, version, table }) => {
      if (state !== 'ready') return refused(`the rebuild is ${state}, and not ready`);
      const {
        missing,
        extra,
        changed,
        digest: found,
      } = differences ?? { missing: 0, extra: 0, changed: 0, digest: null };
      if (missing + extra + changed > 0 && digest !== found)
        return {
          kind: 'refused',
          reason: 'differences_unseen',
          why: `it differs in ${missing + extra + changed} rows: read them (rebuilds.differences), and name the digest that is shown with them`,
        };
      const [stalled] = await execute('SELECT 1 FROM read_model_tables WHERE table_name = $1 AND stalled IS NOT NULL', [
        table,
      ]);
      if (stalled !== undefined) return refused('the rebuilt table is stalled at an event');
      const [live] = await execute<{ name: string }>(
        `SELECT table_name AS name FROM read_model_tables WHERE projection = $1 AND version = $2 AND state = 'live'`,
        [projection, version],
      );
      if (live !== undefined) await keep(execute, live.name, keptFor);
      await execute(`UPDATE read_model_tables SET state = 'live' WHERE table_name = $1`, [table]);
      await execute('UPDATE read_model_rebuilds SET replaced = $2 WHERE id = $1', [id, live?.name ?? null]);
      await endRebuild(execute, id, 'switched');
      return done;
    });
  }

  /** Makes the previous table live again, as long as it is kept. */
  async rollBack(id: string): Promise<RebuildOutcome> {
    return this.changeOne(id, ['rolled_back'], async (execute, { state, isOfNewVersion, table }) => {
      if (state !== 'switched' || isOfNewVersion)
        return refused(
          isOfNewVersion ? 'the rebuild is of a new version' : `the rebuild is ${state}, and was not switched to`,
        );
      const [kept] = await execute<{ name: string }>(
        `SELECT k.table_name AS name FROM read_model_rebuilds AS r
         JOIN read_model_tables AS k ON k.table_name = r.replaced AND k.state = 'kept'
         JOIN read_model_tables AS l ON l.table_name = r.table_name AND l.state = 'live' WHERE r.id = $1`,
        [id],
      );
      if (kept === undefined)
        return refused('the previous table is no longer kept, or another one has taken its place');
      await keep(execute, table, keptAfterRollBackFor);
      await execute(`UPDATE read_model_tables SET state = 'live', kept_until = NULL WHERE table_name = $1`, [
        kept.name,
      ]);
      await endRebuild(execute, id, 'rolled_back');
      return done;
    });
  }

  /** Gives up a rebuild that was not switched to. */
  async discard(id: string): Promise<RebuildOutcome> {
    return this.changeOne(id, ['discarded'], async (execute, { state, table }) => {
      if (!['building', 'catching_up', 'comparing', 'ready', 'failed'].includes(state))
        return refused(`the rebuild is ${state}`);
      await retire(execute, table);
      await endRebuild(execute, id, 'discarded');
      return done;
    });
  }

  private async changeOne(
    id: string,
    ends: readonly RebuildState[],
    body: (execute: Execute, rebuild: Rebuild) => Promise<RebuildOutcome>,
  ): Promise<RebuildOutcome> {
    return this.change(async (execute) => {
      const [rebuild] = await selectRebuilds(execute, 'WHERE r.id = $1', [id]);
      if (rebuild === undefined) return notFound;
      return ends.includes(rebuild.state) ? done : body(execute, rebuild);
    });
  }

  private async change(body: (execute: Execute) => Promise<RebuildOutcome>): Promise<RebuildOutcome> {
    return this.database.transaction(async (manager) => {
      const execute = executeOf(manager);
      await lockTables(execute);
      return body(execute);
    });
  }
}

/** Keeps a table up to date for this long; afterwards it is removed. */
async function keep(execute: Execute, table: string, duration: string): Promise<void> {
  await execute(
    `UPDATE read_model_tables SET state = 'kept', kept_until = now() + $2::interval WHERE table_name = $1`,
    [table, duration],
  );
}
