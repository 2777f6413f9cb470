import { Unavailable, failureWords } from '@app/kernel';
import { Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { programOf, type AnyProjection } from './projection';

/** The channel on which it is said that other tables are read, or that others follow them. */
export const tablesChannel = 'parley_read_model_tables';

/** Statements whose text is remembered with the tables put in. */
const textsMax = 1_000;
const logger = new Logger('LiveTables');
/** A read model's name in a statement. */
const names = /\{([a-z_]+)\}/g;

/** A statement with tables in the place of read models. */
export interface NamedStatement {
  readonly text: string;
  /** What tells it from the same statement on other tables; empty where each read model has its first one. */
  readonly suffix: string;
}

interface Live {
  readonly projection: string;
  readonly version: number;
  readonly table: string;
  readonly program: number | null;
}

/** What `Notifications` tells of. */
interface Hints {
  on(channel: string, listener: () => void): unknown;
  onReconnected(callback: () => void): void;
}

type Query = <Row>(sql: string) => Promise<Row[]>;

/**
 * Which table of each read model this program reads at present. A process that has not heard yet of a switch reads the table of before,
 * which is kept at the same position for an hour.
 */
export class LiveTables {
  /** This program's, and no other version's. */
  readonly program: number;
  private readonly texts = new LRUCache<string, NamedStatement>({ max: textsMax });
  /** Programs that move the tables that are read here, each of which tells how far they are. */
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

  /** Puts tables in the place of read models: `{runs}`. Throws Unavailable where this version's table is still being built. */
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

  /** Read models whose table of this version is not there yet. */
  get missing(): readonly string[] {
    return this.projections.map(({ name }) => name).filter((name) => this.isMissing(name));
  }

  /** Looks again which tables are live. Throws Unavailable. */
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

  /** Looks again whenever it is told to. Where that fails, the tables of before are read on, until the next notification. */
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
