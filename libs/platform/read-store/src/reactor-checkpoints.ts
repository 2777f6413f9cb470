import { failureWords } from '@app/kernel';
import { Logger } from '@nestjs/common';

/** Where they are written: the database of the process. */
interface Statements {
  query<Row>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
}

/** Events come one by one and several reactors look at each: what is written sooner than this is written for nothing. */
const writeAfterMs = 1_000;

const logger = new Logger('Reactors');

/**
 * How far the reactors of this process have come. Written a second after the first of them moved, for all of them in one statement that
 * does not wait for the disk: what a crash of this process or of PostgreSQL loses of it is only reacted to again.
 */
export class ReactorCheckpoints {
  private moved = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();

  constructor(private readonly database: Statements) {}

  /** The position that a reactor goes on after; 0: from the beginning. Throws Unavailable. */
  async read(name: string): Promise<number> {
    const [row] = await this.database.query<{ position: number }>(
      'SELECT position FROM reactor_checkpoints WHERE name = $1',
      [name],
    );
    return row?.position ?? 0;
  }

  /** The reactor has reacted to all up to this position. */
  pass(name: string, position: number): void {
    this.moved.set(name, position);
    this.timer ??= setTimeout(() => void this.write(), writeAfterMs);
  }

  /** Resolves when everything that was passed is written, or could not be. Never rejects. */
  async write(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const { moved } = this;
    this.moved = new Map();
    // One after the other: what a later one says must not be waited for by an earlier one's rows.
    if (moved.size > 0) this.writing = this.writing.then(() => this.writeNow(moved));
    return this.writing;
  }

  private async writeNow(moved: ReadonlyMap<string, number>): Promise<void> {
    try {
      await this.database.query(
        `WITH unhurried AS (SELECT set_config('synchronous_commit', 'off', true))
         INSERT INTO reactor_checkpoints (name, position)
         SELECT name, position FROM unhurried, unnest($1::text[], $2::bigint[]) AS moved (name, position)
         ON CONFLICT (name) DO UPDATE SET position = greatest(reactor_checkpoints.position, excluded.position)`,
        [[...moved.keys()], [...moved.values()]],
      );
    } catch (error) {
      // The next one says as much, and without one the events come again.
      logger.warn(`the checkpoints of ${[...moved.keys()].join(', ')} were not written: ${failureWords(error)}`);
    }
  }
}
