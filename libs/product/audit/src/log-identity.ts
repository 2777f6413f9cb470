import { Injectable } from '@nestjs/common';
import { Database, migration } from '@app/read-store';
import type { ResumedAs } from './checkpoints.events';
import { isSamePlace, type DatabasePlace, type LogHold } from './log-hold';

const tableSql = `CREATE TABLE IF NOT EXISTS log_identity (
  one boolean PRIMARY KEY DEFAULT true CHECK (one), origin text, place jsonb, held jsonb, resuming jsonb)`;

export const logIdentityMigrations = [
  // A restore of a backup that is older than this table has made it by then.
  migration(542, 'NameLogIdentity', tableSql),
];

/** One statement with positional parameters, for a connection of any kind. */
interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** What is resumed, written before anything of it is done. */
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

/** How the launcher of the embedded PostgreSQL names the file that its cluster began with. */
const fileSetting = 'parley.cluster_file';

const hereSql = (cluster: string) => `json_build_object('cluster', ${cluster},
  'database', (SELECT oid::text FROM pg_database WHERE datname = current_database()),
  'file', (SELECT json_build_object('inode', split_part(named, '/', 1), 'bornMs', split_part(named, '/', 2))
           FROM nullif(current_setting('${fileSetting}', true), '') AS named WHERE named IS NOT NULL))`;

const clusterSql = '(SELECT system_identifier::text FROM pg_control_system())';

/** Holds the log of the database in which they are executed, one after the other; also where it is older than the table. */
export function holdingStatements(hold: LogHold): readonly Statement[] {
  return [
    { text: tableSql, values: [] },
    { text: 'INSERT INTO log_identity DEFAULT VALUES ON CONFLICT DO NOTHING', values: [] },
    { text: 'UPDATE log_identity SET held = $1, resuming = NULL', values: [JSON.stringify(hold)] },
  ];
}

/**
 * Lets the log sign in the database in which they are executed, which has just got the rows of another one: unless that one was held for
 * another reason than such a move to the very same place, which was cut off.
 */
export function takingStatements({ why, says }: LogHold): readonly Statement[] {
  return [
    {
      text: `UPDATE log_identity SET place = ${hereSql('NULL')},
               held = CASE WHEN held->>'why' = $1 AND held->>'says' = $2 THEN NULL ELSE held END`,
      values: [why, says],
    },
  ];
}

/**
 * Which log this database belongs to, by its origin, where the database was then, and whether the log may sign. Every method throws
 * Unavailable.
 */
@Injectable()
export class LogIdentity {
  private mayAsk: Promise<boolean> | null = null;

  constructor(private readonly database: Database) {}

  /** As of now. */
  async row(): Promise<LogIdentityRow> {
    const [row] = await this.database.query<LogIdentityRow>(
      `SELECT origin, place, held, resuming, ${hereSql(await this.cluster())} AS here
       FROM (SELECT 1) AS nothing LEFT JOIN log_identity ON true`,
    );
    if (row === undefined) throw new Error('PostgreSQL says nothing of where it is');
    return row;
  }

  /** Null where the log may sign. */
  async hold(): Promise<LogHold | null> {
    const { held, place, here } = await this.row();
    if (held !== null) return held;
    return place === null || isSamePlace(place, here) ? null : copiedHold(here);
  }

  /** Names the log of a database that has none yet: the first one stays. */
  async adopt(origin: string, held: LogHold | null): Promise<void> {
    await this.database.query(
      `INSERT INTO log_identity (origin, place, held) VALUES ($1, ${hereSql(await this.cluster())}, $2)
       ON CONFLICT (one) DO UPDATE SET origin = excluded.origin WHERE log_identity.origin IS NULL`,
      [origin, held && JSON.stringify(held)],
    );
  }

  /** Adds to where the database is what was not known when that was written down. */
  async settle(): Promise<void> {
    const { place, here } = await this.row();
    if (place === null || place.cluster !== null || here.cluster === null || !isSamePlace(place, here)) return;
    await this.database.query(
      `UPDATE log_identity SET place = place || jsonb_build_object('cluster', $1::text) WHERE place->>'cluster' IS NULL`,
      [here.cluster],
    );
  }

  /** Holds the log, unless it is held. */
  async keepHeld(hold: LogHold): Promise<void> {
    await this.database.query('UPDATE log_identity SET held = coalesce(held, $1)', [JSON.stringify(hold)]);
  }

  /** Says what is about to be resumed; what was said of the same hold before stays. @returns what is to be done */
  async beginResume(resuming: Resuming): Promise<Resuming> {
    const [row] = await this.database.query<{ resuming: Resuming }>(
      `UPDATE log_identity SET resuming =
         CASE WHEN resuming->>'hold' = $2 AND resuming->>'as' = $3 THEN resuming ELSE $1::jsonb END RETURNING resuming`,
      [JSON.stringify(resuming), resuming.hold, resuming.as],
    );
    return row?.resuming ?? resuming;
  }

  /** Ends the hold that was resumed: the database belongs to that origin, where it is now. */
  async endResume(hold: string, origin: string): Promise<void> {
    await this.database.query(
      `UPDATE log_identity SET origin = $1, place = ${hereSql(await this.cluster())}, held = NULL, resuming = NULL
       WHERE resuming->>'hold' = $2`,
      [origin, hold],
    );
  }

  private async cluster(): Promise<string> {
    this.mayAsk ??= this.database
      .query<{ may: boolean }>(`SELECT has_function_privilege('pg_control_system()', 'execute') AS may`)
      .then(([row]) => row?.may === true)
      .catch((error: unknown) => {
        this.mayAsk = null;
        throw error;
      });
    return (await this.mayAsk) ? clusterSql : 'NULL';
  }
}

function copiedHold(here: DatabasePlace): LogHold {
  const parts = [here.cluster, here.database, here.file?.inode].map((part) => part ?? '-');
  return {
    id: `place:${parts.join('/')}`,
    why: 'copied',
    since: null,
    says: 'the database lies in another place than when the log signed last: it is a copy, or was moved',
  };
}
