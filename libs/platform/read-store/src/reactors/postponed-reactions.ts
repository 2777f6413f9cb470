import type { EventStore, StoredEvent } from '@app/event-store';
import { DamagedStream, Unavailable } from '@app/kernel';

/** The database in which they are kept. */
interface Statements {
  query<Row>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
}

interface PostponedRow {
  readonly stream: string;
  readonly revision: number;
  readonly damaged: string;
}

/** Rows that one statement reads. */
const triedAtOnce = 100;
/** The dependencies of every reaction. */
const stores: readonly string[] = ['database', 'event store'];

/**
 * Reactions of one reactor that need a damaged stream. They are kept and the reactor goes on, so that one stream delays no other. Once the
 * stream is whole they are made, those of one stream in order. Every method throws Unavailable.
 */
export class PostponedReactions {
  /** The damaged stream for which the reactions to each stream wait. */
  private readonly waiting = new Map<string, string>();

  private constructor(
    private readonly database: Statements,
    private readonly store: EventStore,
    private readonly reactor: string,
  ) {}

  /** Reads the postponed reactions, as a new leader must. */
  static async read(database: Statements, store: EventStore, reactor: string): Promise<PostponedReactions> {
    const postponed = new PostponedReactions(database, store, reactor);
    const rows = await database.query<Omit<PostponedRow, 'revision'>>(
      'SELECT DISTINCT stream, damaged FROM postponed_reactions WHERE reactor = $1',
      [reactor],
    );
    for (const { stream, damaged } of rows) postponed.waiting.set(stream, damaged);
    return postponed;
  }

  /** Reacts to an event now; postpones it if a stream that it needs is damaged, or if an earlier event of its stream is postponed. */
  async reactTo(stored: StoredEvent, react: (stored: StoredEvent) => Promise<void>): Promise<void> {
    const damaged = this.waiting.get(stored.stream);
    if (damaged !== undefined) return this.keep(stored, damaged);
    try {
      await react(stored);
    } catch (error) {
      if (!(error instanceof DamagedStream)) throw error;
      await this.keep(stored, error.stream);
    }
  }

  /**
   * Retries the reactions whose damaged stream this process no longer lists, until the signal aborts. A failure delays only the later
   * reactions of its own stream. @throws the first failure, after the others were made; Unavailable at once if a store is unreachable
   */
  async tryAgain(react: (stored: StoredEvent) => Promise<void>, signal: AbortSignal): Promise<void> {
    if (this.waiting.size === 0) return;
    const found = new Set<string>();
    const left = new Map<string, Error>();
    let last: Pick<PostponedRow, 'stream' | 'revision'> = { stream: '', revision: -1 };
    for (;;) {
      const rows = await this.rowsAfter(last);
      for (const { stream, revision } of rows) {
        if (signal.aborted) return;
        found.add(stream);
        if (left.has(stream)) continue;
        const failure = await this.failureOf(() => this.again(stream, revision, react));
        if (failure !== null) left.set(stream, failure);
      }
      const end = rows.at(-1);
      if (end === undefined || rows.length < triedAtOnce) break;
      last = end;
    }
    for (const stream of found) if (!left.has(stream)) this.waiting.delete(stream);
    const failed = [...left.values()].find((failure) => !(failure instanceof DamagedStream));
    if (failed !== undefined) throw failed;
  }

  /** The failure of one reaction; null if it succeeded. @throws Unavailable if a store is unreachable, because all would fail */
  private async failureOf(reaction: () => Promise<void>): Promise<Error | null> {
    try {
      await reaction();
      return null;
    } catch (error) {
      const isOfStore =
        error instanceof Unavailable && !(error instanceof DamagedStream) && stores.includes(error.dependency);
      if (isOfStore) throw error;
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  private async rowsAfter({ stream, revision }: Pick<PostponedRow, 'stream' | 'revision'>): Promise<PostponedRow[]> {
    return this.database.query<PostponedRow>(
      `SELECT stream, revision, damaged FROM postponed_reactions
       WHERE reactor = $1 AND damaged <> ALL($2) AND (stream, revision) > ($3, $4)
       ORDER BY stream, revision LIMIT ${triedAtOnce}`,
      [this.reactor, this.store.damaged.all.map((one) => one.stream), stream, revision],
    );
  }

  private async again(stream: string, revision: number, react: (stored: StoredEvent) => Promise<void>): Promise<void> {
    // A stream that was deleted in the meantime is damaged too: its reaction waits, and is not given up.
    for (const stored of await this.store.readKnown(stream, revision, 1)) await react(stored);
    await this.database.query('DELETE FROM postponed_reactions WHERE reactor = $1 AND stream = $2 AND revision = $3', [
      this.reactor,
      stream,
      revision,
    ]);
  }

  private async keep({ stream, revision }: StoredEvent, damaged: string): Promise<void> {
    await this.database.query(
      `INSERT INTO postponed_reactions (reactor, stream, revision, damaged) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
      [this.reactor, stream, revision, damaged],
    );
    this.waiting.set(stream, damaged);
  }
}
