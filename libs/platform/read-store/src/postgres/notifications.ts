import { heldConnection } from '@app/kernel';
import { Logger } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { endConnection } from './silent-servers';
import { answering } from './postgres-errors';

const reconnectMs = 250;
const connectTimeoutMs = 5_000;

type Listener = (payload: string) => void;

/**
 * PostgreSQL's LISTEN on a separate connection for a whole process; reconnects by itself. Notifications are lost while the connection is
 * down, so listeners treat them as hints, or read again on `reconnected`.
 */
export class Notifications {
  private readonly logger = new Logger(Notifications.name);
  private readonly listeners = new Map<string, Set<Listener>>();
  private readonly reconnected = new Set<() => void>();
  private client: Client | null = null;
  private statements: Promise<void> = Promise.resolve();
  private closed = false;

  constructor(private readonly url: string) {}

  /** Connects for the first time and listens to all channels registered so far. Throws Unavailable. */
  async open(): Promise<void> {
    await answering(() => this.connect());
  }

  /** Calls the listener for each payload of the channel until the returned function is called. */
  on(channel: string, listener: Listener): () => void {
    const set = this.listeners.get(channel) ?? new Set();
    this.listeners.set(channel, set.add(listener));
    if (set.size === 1) this.listen(channel);
    return () => set.delete(listener);
  }

  /** Calls back after each gap in which notifications may have been lost, once they arrive again. The callback must not throw. */
  onReconnected(callback: () => void): void {
    this.reconnected.add(callback);
  }

  async close(): Promise<void> {
    this.closed = true;
    if (this.client !== null) await endConnection(this.client);
  }

  private async connect(): Promise<void> {
    const client = new Client({
      connectionString: this.url,
      application_name: 'parley listen',
      connectionTimeoutMillis: connectTimeoutMs,
      ...heldConnection,
    });
    client.on('notification', ({ channel, payload }) => {
      for (const listener of this.listeners.get(channel) ?? []) listener(payload ?? '');
    });
    client.on('error', (error) => this.logger.warn(`the listening connection broke: ${error.message}`));
    await client.connect();
    // Registered only now: a connection that was never established ends too, and the loop that opened it retries by itself.
    client.on('end', () => void this.reconnect());
    if (this.closed) return endConnection(client);
    this.client = client;
    for (const channel of this.listeners.keys()) this.listen(channel);
    await this.statements;
  }

  private listen(channel: string): void {
    const { client } = this;
    if (client === null) return;
    // One statement after the other, as `pg` requires. A failure shows as the end of the connection, after which every channel is listened
    // to again.
    this.statements = this.statements
      .then(() => client.query(`LISTEN "${channel}"`))
      .then(() => undefined)
      .catch((error: unknown) => this.logger.warn(String(error)));
  }

  private async reconnect(): Promise<void> {
    this.client = null;
    while (!this.closed) {
      try {
        await this.connect();
        break;
      } catch {
        // PostgreSQL is still unreachable; the next try follows the pause.
        await sleep(reconnectMs);
      }
    }
    if (!this.closed) for (const callback of this.reconnected) callback();
  }
}
