import { setTimeout as delay } from 'node:timers/promises';
import { ATTACH_TIMEOUT_MS, RECONNECT_DELAY_MS, SAY_AGAIN_MS, START_TIMEOUT_MS } from '../limits';
import type { Log } from '../log';
import { MissingRightsError, SchemaTooNewError } from '../storage/schema';
import { LockHeldError, openWriterSession, type WriterSession } from '../storage/session';
import type { Writer } from './writer';

/** Keeps the writer connected: whenever its session ends, it detaches the writer at once and opens a new session. */
export class WriterConnection {
  private session: WriterSession | undefined;
  private closed = false;
  private lastTrouble = '';
  private sayAgainAtMs = 0;

  constructor(
    private readonly databaseUrl: string,
    private readonly writer: Writer,
    private readonly log: Log,
    private readonly startTimeoutMs = START_TIMEOUT_MS,
  ) {}

  /**
   * Resolves when the writer is attached; rejects when PostgreSQL is unavailable for longer than a start may take, and at once for an error
   * that waiting cannot fix. While another server holds the lock it waits until that one ends, however long that takes: that server may be
   * suspended or its host lost, and only the holder of the lock can write.
   */
  async start(): Promise<void> {
    let deadlineMs = Date.now() + this.startTimeoutMs;
    for (;;) {
      try {
        return await this.connect();
      } catch (error) {
        if (error instanceof LockHeldError) deadlineMs = Date.now() + this.startTimeoutMs;
        if (Date.now() > deadlineMs || isForGood(error)) throw error;
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

  /** For when closing takes too long because the database does not answer. */
  drop(): void {
    this.session?.destroy();
  }

  /** Gives up after ATTACH_TIMEOUT_MS, because PostgreSQL may accept a connection and then stay silent. */
  private async connect(): Promise<void> {
    // Until the writer has it, a session that ends makes `attach` or the opening reject, so there is nothing to detach.
    const session = await openWriterSession(this.databaseUrl, (lost, error) => this.lose(lost, error));
    const overdue = setTimeout(() => session.destroy(), ATTACH_TIMEOUT_MS);
    try {
      await this.writer.attach(session);
    } catch (error) {
      session.destroy();
      throw error;
    } finally {
      clearTimeout(overdue);
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

  /** Runs until it is connected or the server closes, for as long as PostgreSQL is unavailable. */
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

  /** Logs each new kind of trouble at once, and then every now and then instead of five times a second. */
  private report(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    if (message === this.lastTrouble && Date.now() < this.sayAgainAtMs) return;
    this.lastTrouble = message;
    this.sayAgainAtMs = Date.now() + SAY_AGAIN_MS;
    this.log('warn', error instanceof LockHeldError ? `waiting: ${message}` : 'PostgreSQL is not reachable', {
      error: message,
    });
  }
}

/** Whether waiting cannot fix an error: a newer schema, or PostgreSQL's codes for a wrong role, password, database or right. */
function isForGood(error: unknown): boolean {
  if (error instanceof SchemaTooNewError || error instanceof MissingRightsError) return true;
  return error instanceof Error && 'code' in error && /^(28...|3D000|42501)$/.test(String(error.code));
}
