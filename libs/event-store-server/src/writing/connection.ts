import { setTimeout as delay } from 'node:timers/promises';
import { RECONNECT_DELAY_MS, START_TIMEOUT_MS } from '../limits';
import type { Log } from '../log';
import { SchemaTooNewError } from '../storage/schema';
import { LockHeldError, openWriterSession, type WriterSession } from '../storage/session';
import type { Writer } from './writer';

/** Keeps the writer connected: whenever its session ends, it is detached at once and a new session is sought. */
export class WriterConnection {
  private session: WriterSession | undefined;
  private closed = false;
  private lastTrouble = '';

  constructor(
    private readonly databaseUrl: string,
    private readonly writer: Writer,
    private readonly log: Log,
  ) {}

  /** Resolves when the writer is attached; rejects when that takes longer than a start may. */
  async start(): Promise<void> {
    const deadlineMs = Date.now() + START_TIMEOUT_MS;
    for (;;) {
      try {
        return await this.connect();
      } catch (error) {
        if (Date.now() > deadlineMs || error instanceof SchemaTooNewError) throw error;
        this.report(error);
        await delay(RECONNECT_DELAY_MS);
      }
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    this.writer.detach('the event store is shutting down');
    await this.session?.db.end();
  }

  /** For when closing takes too long: the database does not answer. */
  drop(): void {
    this.session?.destroy();
  }

  private async connect(): Promise<void> {
    // Until it is the writer's, a session that ends makes `attach` or the opening itself reject: nothing is lost yet.
    const session = await openWriterSession(this.databaseUrl, (lost, error) => this.lose(lost, error));
    try {
      await this.writer.attach(session);
    } catch (error) {
      session.destroy();
      throw error;
    }
    this.session = session;
    this.lastTrouble = '';
    if (this.closed) session.destroy();
  }

  private lose(session: WriterSession, error: Error): void {
    if (this.closed || session !== this.session) return;
    this.session = undefined;
    this.log('warn', 'the writer lost its connection to PostgreSQL', { error: error.message });
    this.writer.detach('the event store has no connection to PostgreSQL');
    void this.reconnect();
  }

  /** Runs until it is connected or the server closes: as long as PostgreSQL is away. */
  private async reconnect(): Promise<void> {
    for (;;) {
      await delay(RECONNECT_DELAY_MS);
      if (this.closed) return;
      try {
        await this.connect();
        this.log('info', 'the writer is connected to PostgreSQL again');
        return;
      } catch (error) {
        this.report(error);
      }
    }
  }

  /** Each new kind of trouble is said once, not five times a second. */
  private report(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    if (message === this.lastTrouble) return;
    this.lastTrouble = message;
    this.log('warn', error instanceof LockHeldError ? `waiting: ${message}` : 'PostgreSQL is not reachable', {
      error: message,
    });
  }
}
