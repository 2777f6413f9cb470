import { unlessDamaged, type EventStore, type StoredEvent } from '@app/event-store';
import { DamagedStream } from '@app/kernel';

/** Where they are kept: the database of the process. */
interface Statements {
  query<Row>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
}

interface PostponedRow {
  readonly stream: string;
  readonly revision: number;
  readonly damaged: string;
}

/** Rows that are read at once. */
const triedAtOnce = 100;

/**
 * Reactions of one reactor that need a damaged stream. They are kept and the reactor goes on, so that one stream holds up no other; once the
 * stream is whole they are made, those of one stream in their order. Every method throws Unavailable.
 */
export class PostponedReactions {
  /** The damaged stream that the reactions to each stream wait for. */
  private readonly waiting = new Map<string, string>();

  private constructor(
    private readonly database: Statements,
    private readonly store: EventStore,
    private readonly reactor: string,
  ) {}

  /** Reads which there are, as a new leader must. */
  static async read(database: Statements, store: EventStore, reactor: string): Promise<PostponedReactions> {
    const postponed = new PostponedReactions(database, store, reactor);
    const rows = await database.query<Omit<PostponedRow, 'revision'>>(
      'SELECT DISTINCT stream, damaged FROM postponed_reactions WHERE reactor = $1',
      [reactor],
    );
    for (const { stream, damaged } of rows) postponed.waiting.set(stream, damaged);
    return postponed;
  }

  /** Reacts to an event now, or keeps it where a stream that it needs is damaged, or an earlier event of its stream waits. */
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

  /** Reacts to those whose damaged stream this process does not list any more, however many of them still fail. */
  async tryAgain(react: (stored: StoredEvent) => Promise<void>): Promise<void> {
    if (this.waiting.size === 0) return;
    const found = new Set<string>();
    const left = new Set<string>();
    let last: Pick<PostponedRow, 'stream' | 'revision'> = { stream: '', revision: -1 };
    for (;;) {
      const rows = await this.rowsAfter(last);
      for (const { stream, revision } of rows) {
        found.add(stream);
        const isDone = !left.has(stream) && (await unlessDamaged(() => this.again(stream, revision, react)));
        if (isDone !== true) left.add(stream);
      }
      const end = rows.at(-1);
      if (end === undefined || rows.length < triedAtOnce) break;
      last = end;
    }
    for (const stream of found) if (!left.has(stream)) this.waiting.delete(stream);
  }

  private async rowsAfter({ stream, revision }: Pick<PostponedRow, 'stream' | 'revision'>): Promise<PostponedRow[]> {
    return this.database.query<PostponedRow>(
      `SELECT stream, revision, damaged FROM postponed_reactions
       WHERE reactor = $1 AND damaged <> ALL($2) AND (stream, revision) > ($3, $4)
       ORDER BY stream, revision LIMIT ${triedAtOnce}`,
      [this.reactor, this.store.damaged.all.map((one) => one.stream), stream, revision],
    );
  }

  private async again(stream: string, revision: number, react: (stored: StoredEvent) => Promise<void>): Promise<true> {
    const [stored] = await this.store.readStream(stream, revision, 1);
    if (stored !== undefined) await react(stored);
    await this.database.query('DELETE FROM postponed_reactions WHERE reactor = $1 AND stream = $2 AND revision = $3', [
      this.reactor,
      stream,
      revision,
    ]);
    return true;
  }

  private async keep({ stream, revision }: StoredEvent, damaged: string): Promise<void> {
    await this.database.query(
      `INSERT INTO postponed_reactions (reactor, stream, revision, damaged) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
      [this.reactor, stream, revision, damaged],
    );
    this.waiting.set(stream, damaged);
  }
}
