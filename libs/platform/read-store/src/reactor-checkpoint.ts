import { Logger } from '@nestjs/common';
import type { Database } from './database';

/** Events come one by one and several reactors look at each: written with every one, checkpoints were a fifth of all statements. */
const writeAfterMs = 200;

const logger = new Logger('Reactors');

/** How far a reactor has come; written a moment later, once for all that has passed meanwhile. What a crash loses of it comes again. */
export class ReactorCheckpoint {
  private passed = 0;
  private written = 0;
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly name: string,
  ) {}

  /** The position to go on after; 0: from the beginning. */
  async read(): Promise<number> {
    const [row] = await this.database.query<{ position: number }>(
      'SELECT position FROM reactor_checkpoints WHERE name = $1',
      [this.name],
    );
    return row?.position ?? 0;
  }

  /** All up to this position has been reacted to. */
  pass(position: number): void {
    this.passed = Math.max(this.passed, position);
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.write();
    }, writeAfterMs);
  }

  /** Writes what is not written yet. */
  async close(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.write();
    await this.writing;
  }

  private write(): void {
    this.writing = this.writing.then(async () => {
      const { passed } = this;
      if (passed <= this.written) return;
      try {
        await this.database.query(
          `INSERT INTO reactor_checkpoints (name, position) VALUES ($1, $2)
           ON CONFLICT (name) DO UPDATE SET position = greatest(reactor_checkpoints.position, excluded.position)`,
          [this.name, passed],
        );
        this.written = passed;
      } catch (error) {
        // The next one says as much, and without one the events come again.
        logger.warn(`the checkpoint of ${this.name} was not written: ${String(error)}`);
      }
    });
  }
}
