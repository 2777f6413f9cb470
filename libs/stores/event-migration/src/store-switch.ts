import { answering, forgetReadModels, processGoneMs, type Database } from '@app/read-store';
import { Client } from 'pg';
import { CannotMigrate, type SourceCount } from './copy-events';
import type { VerifiedCopy } from './verify-copy';

/** The reactor that handles inputs in order and records, in events, the position of the last one that had an effect. */
const inputReactor = 'firing';
/** One statement with positional parameters. */
interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/**
 * Empties the caches of what words were before they were sealed: folded states, which are folded again. Read models are emptied by every
 * switch.
 */
export const forgetSnapshots: Statement = { text: 'TRUNCATE snapshots', values: [] };

const undefinedTable = '42P01';
/** A server that accepts the connection and stays silent is given up after this time. */
const connectWithinMs = 5_000;

/** @throws CannotMigrate when api or worker processes work on the database, or have only just ended */
export async function refuseWhileRunning(database: Database): Promise<void> {
  const running = await database.query(
    `SELECT 1 FROM processes WHERE (api OR worker) AND heartbeat_at > now() - $1 * interval '1 ms' LIMIT 1`,
    [processGoneMs],
  );
  if (running.length > 0)
    throw new CannotMigrate(
      `the service runs, or was killed less than ${processGoneMs / 1000} s ago: stop it, and try again`,
    );
}

/**
 * Refuses while inputs are unhandled. Positions differ between stores, and a handled input is known by its position, so all of them must
 * have been handled before.
 * @throws CannotMigrate
 */
export async function refuseUnhandledInputs(database: Database, { lastInputPosition }: SourceCount): Promise<void> {
  const handled = (await checkpoints(database)).get(inputReactor) ?? 0;
  if (lastInputPosition > handled)
    throw new CannotMigrate(
      'inputs of automations were recorded and not handled yet: start the service, let it catch up, stop it, and try again',
    );
}

/** The position of each reactor, by its name. */
export async function checkpoints(database: Database): Promise<ReadonlyMap<string, number>> {
  const rows = await database.query<{ name: string; position: number }>(
    'SELECT name, position FROM reactor_checkpoints',
  );
  return new Map(rows.map(({ name, position }) => [name, position]));
}

/**
 * Switches the database to the target, in one transaction: reactors continue there after the same events, so that none is handled twice or
 * skipped, and every read model, and the log of all events, is rebuilt from its beginning. Operational tables (timers, sealed secrets, the
 * sandbox's ledger, snapshots by revision) stay unchanged. Happens only once: a second call for the same events changes nothing.
 * @param target shown to operators; without credentials
 * @param also more statements of the same transaction
 * @returns whether this call made the switch
 */
export async function switchStore(
  database: Database,
  copy: VerifiedCopy,
  target: string,
  also: readonly Statement[] = [],
): Promise<boolean> {
  await database.query(
    `CREATE TABLE IF NOT EXISTS event_store_moves (
       sha256 text PRIMARY KEY, events bigint NOT NULL, target text NOT NULL, moved_at timestamptz NOT NULL DEFAULT now())`,
  );
  return database.transaction(async (manager) => {
    const first = await manager.query<unknown[]>(
      `INSERT INTO event_store_moves (sha256, events, target) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING 1`,
      [copy.sha256, copy.events, target],
    );
    if (first.length === 0) return false;
    const rows = await manager.query<{ name: string; position: number }[]>(
      'SELECT name, position FROM reactor_checkpoints FOR UPDATE',
    );
    for (const { name, position } of rows) {
      const there = copy.positions.get(position);
      if (there === undefined) throw new CannotMigrate(`reactor ${name} went on meanwhile: the service runs`);
      await manager.query('UPDATE reactor_checkpoints SET position = $2 WHERE name = $1', [name, there]);
    }
    await forgetReadModels(manager);
    // The log's tables refer to positions; from the same events in the same order they are rebuilt to the same tree.
    await manager.query('TRUNCATE transparency_leaves, transparency_tiles');
    await manager.query('UPDATE transparency_log SET size = 0, position = 0');
    // Without a mark, a recovery of webhooks begins at the first event.
    await manager.query('TRUNCATE webhook_marks');
    await manager.query('UPDATE webhook_recoveries SET position = 0');
    for (const { text, values } of also) await manager.query(text, [...values]);
    return true;
  });
}

/** Returns where a database's events were migrated to, making those in it out of date; or null. @throws Unavailable */
export async function readMoveTarget(databaseUrl: string): Promise<string | null> {
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: connectWithinMs });
  await answering(() => client.connect());
  try {
    const { rows } = await client.query<{ target: string }>(
      'SELECT target FROM event_store_moves ORDER BY moved_at DESC LIMIT 1',
    );
    return rows[0]?.target ?? null;
  } catch (error) {
    // The first migration creates the table.
    if (error instanceof Error && 'code' in error && error.code === undefinedTable) return null;
    throw error;
  } finally {
    await client.end();
  }
}
