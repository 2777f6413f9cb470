import { failureWords } from '@app/kernel';
import { Logger } from '@nestjs/common';

/** The database to which they are written. */
interface Statements {
  query<Row>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
}

/** Events arrive one by one and several reactors read each: an earlier write would be overwritten at once. */
const writeAfterMs = 1_000;

const logger = new Logger('Reactors');

/**
 * Positions of this process's reactors. They are written a second after the first of them moved, for all in one statement that does not
 * wait for the disk: after a crash of this process or of PostgreSQL, lost positions only mean that events are reacted to again.
 */
export class ReactorCheckpoints {
  private moved = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();

  constructor(private readonly database: Statements) {}

  /** The position after which a reactor continues; 0 for the beginning. Throws Unavailable. */
  async read(name: string): Promise<number> {
    const [row] = await this.database.query<{ position: number }>(
      'SELECT position FROM reactor_checkpoints WHERE name = $1',
      [name],
    );
    return row?.position ?? 0;
  }

  /** Records that the reactor has reacted to everything up to this position. */
  pass(name: string, position: number): void {
    this.moved.set(name, position);
    this.timer ??= setTimeout(() => void this.write(), writeAfterMs);
  }

  /** Resolves when everything recorded so far is written, or failed to be. Never rejects. */
  async write(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const { moved } = this;
    this.moved = new Map();
    // One after the other: two statements at once would wait for each other's row locks.
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
      // The next write supersedes this one; without a next write, the events are delivered again.
      logger.warn(`the checkpoints of ${[...moved.keys()].join(', ')} were not written: ${failureWords(error)}`);
    }
  }
}
