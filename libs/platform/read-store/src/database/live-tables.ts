import { Unavailable, failureWords } from '@app/kernel';
import { Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { programOf, type AnyProjection } from '../read-models/projection';

/** The channel that announces a change of live tables, or of the programs that follow them. */
export const tablesChannel = 'parley_read_model_tables';

/** Statements whose text with table names is cached. */
const textsMax = 1_000;
const logger = new Logger('LiveTables');
/** A read model's name within a statement. */
const names = /\{([a-z_]+)\}/g;

/** A statement with tables in place of read models. */
export interface NamedStatement {
  readonly text: string;
  /** Distinguishes it from the same statement on other tables; empty if each read model uses its first one. */
  readonly suffix: string;
}

interface Live {
  readonly projection: string;
  readonly version: number;
  readonly table: string;
  readonly program: number | null;
}

/** The part of `Notifications` that is used here. */
interface Hints {
  on(channel: string, listener: () => void): unknown;
  onReconnected(callback: () => void): void;
}

type Query = <Row>(sql: string) => Promise<Row[]>;

/**
 * The live table of each read model for this program. A process that has not yet heard of a switch reads the previous table, which is kept
 * at the same position for an hour.
 */
export class LiveTables {
  /** Identifies this program and its versions of the projections. */
  readonly program: number;
  private readonly texts = new LRUCache<string, NamedStatement>({ max: textsMax });
  /** Programs that fill the tables that are read here; each announces its progress. */
  followers: ReadonlySet<number>;
  private live: readonly Live[] = [];
  private built: ReadonlySet<string> = new Set();

  /** @param tableOf the first table of a projection */
  constructor(
    private readonly query: Query,
    private readonly projections: readonly AnyProjection[],
    private readonly tableOf: (projection: AnyProjection) => string,
  ) {
    this.program = programOf(projections);
    this.followers = new Set([this.program]);
  }

  /** Replaces read models by tables: `{runs}`. Throws Unavailable while this version's table is still being built. */
  inStatement(sql: string): NamedStatement {
    if (!sql.includes('{')) return { text: sql, suffix: '' };
    const known = this.texts.get(sql);
    if (known !== undefined) return known;
    let suffix = '';
    const text = sql.replace(names, (_, first: string) => {
      const table = this.tableFor(first);
      if (table !== first) suffix += ` ${table}`;
      return table;
    });
    const named = { text, suffix };
    this.texts.set(sql, named);
    return named;
  }

  /** Read models that have no live table of this version yet. */
  get missing(): readonly string[] {
    return this.projections.map(({ name }) => name).filter((name) => this.isMissing(name));
  }

  /** Reads which tables are live. Throws Unavailable. */
  async look(): Promise<void> {
    if (this.projections.length === 0) return;
    const rows = await this.query<Live & { readonly state: string }>(
      `SELECT projection, version, table_name AS "table", follower AS program, state FROM read_model_tables`,
    );
    const versions = new Map(this.projections.map(({ name, version }) => [name, version]));
    this.built = new Set(rows.map(({ projection }) => projection));
    this.live = rows.filter(
      ({ projection, version, state }) => state === 'live' && versions.get(projection) === version,
    );
    const programs = this.live.map(({ program }) => program ?? this.program);
    this.followers = new Set(programs.length === 0 ? [this.program] : programs);
    this.texts.clear();
  }

  /** Reads them again on each notification. If that fails, the previous tables are used until the next notification. */
  keepLooking(notifications: Hints): void {
    const look = (): void => {
      this.look().catch((error: unknown) => logger.warn(`the live tables are not known: ${failureWords(error)}`));
    };
    notifications.on(tablesChannel, look);
    notifications.onReconnected(look);
  }

  private tableFor(first: string): string {
    const projection = this.projections.find((one) => this.tableOf(one) === first);
    if (projection === undefined) return first;
    if (this.isMissing(projection.name)) {
      const cause = new Error(`the read model ${projection.name} is being built`);
      throw new Unavailable('database', { cause });
    }
    return this.live.find((one) => one.projection === projection.name)?.table ?? first;
  }

  /** Before anything was projected, all read models are in their first tables, and empty. */
  private isMissing(name: string): boolean {
    return this.built.has(name) && !this.live.some(({ projection }) => projection === name);
  }
}
