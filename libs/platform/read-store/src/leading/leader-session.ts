import { heldConnection, noticeLostClient } from '@app/kernel';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { endConnection, socketOf } from '../postgres/silent-servers';

const connectTimeoutMs = 5_000;
/** PostgreSQL ends the connection of a leader that is silent for this long: it was suspended or is stuck. */
const silenceMaxMs = 5_000;
const pingMs = 1_000;

/**
 * The one connection on which a process holds the locks of everything that it leads. It is opened for the first lock and ended after the
 * last release; when it breaks, all locks are lost at once.
 */
export class LeaderSession {
  private readonly led = new Set<string>();
  private current: Promise<OpenSession> | null = null;
  private opened: OpenSession | null = null;

  /** @param silenceMs how long either side may be silent; 5 s when absent */
  constructor(
    private readonly databaseUrl: string,
    private readonly silenceMs = silenceMaxMs,
  ) {}

  /**
   * Names of everything that this process leads now. Empty once PostgreSQL may have ended the session, because a process that was suspended
   * learns of that only after another one leads.
   */
  get leads(): readonly string[] {
    const { opened } = this;
    return opened === null || opened.silentMs > this.silenceMs ? [] : [...this.led];
  }

  /** Runs the body, and lists the names in `leads` meanwhile. */
  async leading(names: readonly string[], body: () => Promise<void>): Promise<void> {
    for (const name of names) this.led.add(name);
    try {
      await body();
    } finally {
      for (const name of names) this.led.delete(name);
    }
  }

  /** Runs the body with the session. Throws when PostgreSQL does not answer. */
  async use(body: (session: OpenSession) => Promise<void>): Promise<void> {
    const session = await this.openSession();
    session.users += 1;
    try {
      await body(session);
    } finally {
      session.users -= 1;
      if (session.users === 0) await session.end();
    }
  }

  private async openSession(): Promise<OpenSession> {
    for (;;) {
      const opening = (this.current ??= OpenSession.open(this.databaseUrl, this.silenceMs));
      const session = await opening.catch((error: unknown) => {
        this.forget(opening);
        throw error;
      });
      if (!session.lost.aborted) return (this.opened = session);
      this.forget(opening);
    }
  }

  private forget(opening: Promise<OpenSession>): void {
    // Another session may already be opening.
    if (this.current === opening) this.current = null;
  }
}

/** A connection and the locks that it holds. */
export class OpenSession {
  /** Number of current users. */
  users = 0;
  private readonly ending = new AbortController();
  private readonly held = new Set<number>();
  private turns: Promise<unknown> = Promise.resolve();
  private heardMs = performance.now();

  private constructor(private readonly client: Client) {}

  static async open(databaseUrl: string, silenceMs: number): Promise<OpenSession> {
    const client = new Client({
      connectionString: databaseUrl,
      application_name: 'parley leader',
      connectionTimeoutMillis: connectTimeoutMs,
      // A server that does not answer has ended this session, or is lost: another process may lead by now.
      query_timeout: silenceMs,
      ...heldConnection,
    });
    const session = new OpenSession(client);
    client.on('error', () => session.lose());
    client.on('end', () => session.lose());
    await client.connect();
    await session.inTurn(() => client.query(`SET idle_session_timeout = ${silenceMs}; ${noticeLostClient}`));
    void session.keepAsking().catch(() => session.lose());
    return session;
  }

  /** Aborted when the connection ends, and with it every lock. */
  get lost(): AbortSignal {
    return this.ending.signal;
  }

  /** Time since PostgreSQL last answered. */
  get silentMs(): number {
    return performance.now() - this.heardMs;
  }

  /** Takes a lock unless this or another process holds it. Returns whether it did. */
  async lock(key: number): Promise<boolean> {
    return this.inTurn(async () => {
      if (this.held.has(key)) return false;
      const { rows } = await this.client.query<{ held: boolean }>('SELECT pg_try_advisory_lock($1) AS held', [key]);
      if (rows[0]?.held !== true) return false;
      this.held.add(key);
      return true;
    });
  }

  /** Takes a shared lock unless another session holds it exclusively. Returns whether it did. */
  async lockShared(key: number): Promise<boolean> {
    return this.inTurn(async () => {
      const text = 'SELECT pg_try_advisory_lock_shared($1) AS held';
      const { rows } = await this.client.query<{ held: boolean }>(text, [key]);
      return rows[0]?.held === true;
    });
  }

  /**
   * Releases a lock. Never rejects: if PostgreSQL does not confirm it, the whole session ends, because it is then unknown which locks it
   * holds, and a pause of everything that it leads is better than two leaders. The statement has the usual timeout.
   */
  async giveBack(key: number): Promise<void> {
    if (this.lost.aborted) return;
    // For the last user, ending the connection releases the lock too.
    if (this.users === 1) return this.end();
    await this.release(key);
  }

  /** As `giveBack`, for a shared lock. */
  async giveBackShared(key: number): Promise<void> {
    if (this.lost.aborted) return;
    if (this.users === 1) return this.end();
    await this.unlock('SELECT pg_advisory_unlock_shared($1)', key);
  }

  /** As `giveBack`, when the session is still needed. */
  async release(key: number): Promise<void> {
    if (this.lost.aborted) return;
    await this.unlock('SELECT pg_advisory_unlock($1)', key);
    this.held.delete(key);
  }

  async end(): Promise<void> {
    if (this.lost.aborted) return;
    this.ending.abort();
    await endConnection(this.client);
  }

  private async unlock(text: string, key: number): Promise<void> {
    await this.inTurn(() => this.client.query(text, [key])).catch(() => undefined); // the session is lost with it
  }

  private lose(): void {
    this.ending.abort();
    socketOf(this.client).destroy();
  }

  /** Pings PostgreSQL periodically to show that this process lives. Throws when the server does not answer. */
  private async keepAsking(): Promise<void> {
    while (!this.lost.aborted) {
      await this.inTurn(() => this.client.query('SELECT 1'));
      await sleep(pingMs, undefined, { signal: this.lost }).catch(() => undefined); // lost: the loop ends
    }
  }

  /** Runs statements one after the other, as `pg` requires; after one that fails, the session is lost. */
  private async inTurn<Value>(statement: () => Promise<Value>): Promise<Value> {
    const turn = this.turns.then(() => {
      this.lost.throwIfAborted();
      return statement();
    });
    this.turns = turn.catch(() => undefined); // the caller gets the error
    try {
      const value = await turn;
      this.heardMs = performance.now();
      return value;
    } catch (error) {
      this.lose();
      throw error;
    }
  }
}
