import { Injectable } from '@nestjs/common';
import { Unavailable } from '@app/kernel';
import { Database, migration } from '@app/read-store';
import type { ResumedAs } from '../checkpoints/checkpoints.events';
import { isSamePlace, type DatabasePlace, type LogHold } from './log-hold';

const tableSql = `CREATE TABLE IF NOT EXISTS log_identity (
  one boolean PRIMARY KEY DEFAULT true CHECK (one), origin text, place jsonb, held jsonb, resuming jsonb)`;

export const logIdentityMigrations = [
  // A restore of a backup older than this table has created it before this migration runs.
  migration(542, 'NameLogIdentity', tableSql),
];

/** One statement with positional parameters, for a connection of any kind. */
interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** The intended resumption, written before anything of it is done. */
export interface Resuming {
  readonly hold: string;
  readonly as: ResumedAs;
  readonly origin: string;
}

interface Row {
  readonly origin: string | null;
  readonly place: DatabasePlace | null;
  readonly held: LogHold | null;
  readonly resuming: Resuming | null;
}

export type LogIdentityRow = Row & { readonly here: DatabasePlace };

/** The setting in which the launcher of the embedded PostgreSQL passes the file that its cluster began with. */
const fileSetting = 'parley.cluster_file';

/** SQL expressions for parts of a place; NULL for those that this role or this PostgreSQL cannot read. */
interface Sources {
  readonly cluster: string;
  readonly timeline: string;
}

const unsaid: Sources = { cluster: 'NULL', timeline: 'NULL' };
const clusterSql = '(SELECT system_identifier::text FROM pg_control_system())';
const timelineSql = 'left(pg_walfile_name(pg_current_wal_lsn()), 8)';

/** The timeline matters only if the events are in this database; another event store shows what was signed. */
const hereSql = ({ cluster, timeline }: Sources) => `json_build_object('cluster', ${cluster},
  'database', (SELECT oid::text FROM pg_database WHERE datname = current_database()),
  'table', to_regclass('log_identity')::oid::text,
  'timeline', CASE WHEN to_regclass('event_store.events') IS NOT NULL
    AND to_regclass('event_store_moves') IS NULL THEN ${timeline} END,
  'file', (SELECT json_build_object('inode', split_part(named, '/', 1), 'bornMs', split_part(named, '/', 2))
           FROM nullif(current_setting('${fileSetting}', true), '') AS named WHERE named IS NOT NULL))`;

/** Statements, in this order, that hold the log of a database, even one that is older than the table. */
export function holdingStatements(hold: LogHold): readonly Statement[] {
  return [
    { text: tableSql, values: [] },
    { text: 'INSERT INTO log_identity DEFAULT VALUES ON CONFLICT DO NOTHING', values: [] },
    { text: 'UPDATE log_identity SET held = $1, resuming = NULL', values: [JSON.stringify(hold)] },
  ];
}

/**
 * Statements that let the log sign in the database where they run, which has just received the rows of another one. A
 * hold is kept unless its reason is this same move to the same place, interrupted before.
 */
export function takingStatements({ why, says }: LogHold): readonly Statement[] {
  return [
    {
      text: `UPDATE log_identity SET place = ${hereSql(unsaid)},
               held = CASE WHEN held->>'why' = $1 AND held->>'says' = $2 THEN NULL ELSE held END`,
      values: [why, says],
    },
  ];
}

/** The statement that names the log of a database anew, for a copy of its events whose log has that name. A database without a name is left. */
export function beginningStatement(origin: string): Statement {
  return { text: 'UPDATE log_identity SET origin = $1 WHERE origin IS NOT NULL', values: [origin] };
}

/** The log of this database: its origin, the database's place, and its hold. Every method throws Unavailable. */
@Injectable()
export class LogIdentity {
  private known: Promise<Sources> | null = null;

  constructor(private readonly database: Database) {}

  /** The row as of now. */
  async row(): Promise<LogIdentityRow> {
    const [row] = await this.database.query<LogIdentityRow>(
      `SELECT origin, place, held, resuming, ${hereSql(await this.sources())} AS here
       FROM (SELECT 1) AS nothing LEFT JOIN log_identity ON true`,
    );
    if (row === undefined) throw new Error('PostgreSQL says nothing of where it is');
    return row;
  }

  /** The current hold; null if the log may sign. */
  async hold(): Promise<LogHold | null> {
    const { held, place, here } = await this.row();
    if (held !== null) return held;
    return place === null || isSamePlace(place, here) ? null : copiedHold(here);
  }

  /** Records the origin for a database that has none yet; an origin recorded before is kept. */
  async adopt(origin: string, held: LogHold | null): Promise<void> {
    await this.database.query(
      `INSERT INTO log_identity (origin, place, held) VALUES ($1, ${hereSql(await this.sources())}, $2)
       ON CONFLICT (one) DO UPDATE SET origin = excluded.origin WHERE log_identity.origin IS NULL`,
      [origin, held && JSON.stringify(held)],
    );
  }

  /** Adds parts of the database's place that were unknown when it was recorded. */
  async settle(): Promise<void> {
    const { place, here } = await this.row();
    if (place === null || !isSamePlace(place, here)) return;
    await this.database.query(
      'UPDATE log_identity SET place = $1::jsonb || jsonb_strip_nulls(place) WHERE place <> $1::jsonb',
      [JSON.stringify(here)],
    );
  }

  /** Holds the log, unless it is already held. */
  async keepHeld(hold: LogHold): Promise<void> {
    await this.database.query('UPDATE log_identity SET held = coalesce(held, $1)', [JSON.stringify(hold)]);
  }

  /** Records an intended resumption, unless the hold has one already. @returns the intent to carry out */
  async beginResume(resuming: Resuming): Promise<Resuming> {
    const [row] = await this.database.query<{ resuming: Resuming }>(
      `UPDATE log_identity SET resuming =
         CASE WHEN resuming->>'hold' = $2 AND resuming->>'as' = $3 THEN resuming ELSE $1::jsonb END RETURNING resuming`,
      [JSON.stringify(resuming), resuming.hold, resuming.as],
    );
    return row?.resuming ?? resuming;
  }

  /** Ends the resumed hold: the database belongs to that origin, at its current place. */
  async endResume(hold: string, origin: string): Promise<void> {
    await this.database.query(
      `UPDATE log_identity SET origin = $1, place = ${hereSql(await this.sources())}, held = NULL, resuming = NULL
       WHERE resuming->>'hold' = $2`,
      [origin, hold],
    );
  }

  /** Determined once for each process. */
  private async sources(): Promise<Sources> {
    this.known ??= this.findSources().catch((error: unknown) => {
      this.known = null;
      throw error;
    });
    return this.known;
  }

  private async findSources(): Promise<Sources> {
    const [cluster, timeline] = [await this.saidBy(clusterSql), await this.saidBy(timelineSql)];
    return { cluster, timeline };
  }

  /** The expression if PostgreSQL evaluates it for this role; else NULL. */
  private async saidBy(expression: string): Promise<string> {
    try {
      await this.database.query(`SELECT ${expression}`);
      return expression;
    } catch (error) {
      if (error instanceof Unavailable) throw error;
      return 'NULL';
    }
  }
}

function copiedHold(here: DatabasePlace): LogHold {
  const parts = [here.cluster, here.database, here.table, here.timeline, here.file?.inode].map((part) => part ?? '-');
  return {
    id: `place:${parts.join('/')}`,
    why: 'copied',
    since: null,
    says: 'the database lies in another place than when the log signed last, or was restored in its own: it is a copy, was moved, or went back in time',
  };
}
