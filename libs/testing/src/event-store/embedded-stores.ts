import { mkdtemp, rm } from 'node:fs/promises';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectEventStore, EventStore, type CallLimits } from '@app/event-store';
import type { KeyRing } from '@app/sealing';
import { startEventStoreServer, type EventStoreServer } from '@app/event-store-server';
import { madeStore } from './made-store';
import { createTestDatabase, type TestDatabase } from '../postgres/postgres';

/** Long, because a machine that is busy with other suites can stall for seconds, which no test is about. */
export const patient: CallLimits = { resendForMs: 10_000, callTimeoutMs: 20_000 };
/** For tests of a store that stays unavailable, which need not wait for long. */
export const impatient: CallLimits = { resendForMs: 400, callTimeoutMs: 1_500 };

interface ConnectOptions {
  readonly proxy?: LossyProxy;
  readonly limits?: CallLimits;
  /** Without keys, words stay sealed. */
  readonly keys?: KeyRing | null;
}

/**
 * An embedded event store on a database of its own that can be stopped and started again, and read through a lossy
 * proxy.
 */
export class EmbeddedStore {
  private server: EventStoreServer | null = null;
  private readonly clients: EventStore[] = [];
  private readonly proxies: LossyProxy[] = [];

  private constructor(
    readonly database: TestDatabase,
    private readonly folder: string,
  ) {}

  static async start(): Promise<EmbeddedStore> {
    const store = new EmbeddedStore(
      await createTestDatabase(madeStore),
      await mkdtemp(join(tmpdir(), 'embedded-store-')),
    );
    await store.startServer();
    return store;
  }

  /**
   * @param databaseUrl another route to its database
   * @param weatherSeed the seed of a bad day
   */
  async startServer(databaseUrl = this.database.url, weatherSeed?: string): Promise<void> {
    const listen = { socketPath: this.socketPath };
    this.server = await startEventStoreServer({ databaseUrl, listen, weatherSeed });
  }

  async stopServer(): Promise<void> {
    await this.server?.close();
    this.server = null;
  }

  /** Opens a client of its own, disposed of by `stop`; through a proxy if one is given. */
  connect({ proxy, limits = patient, keys = null }: ConnectOptions = {}): EventStore {
    const client = connectEventStore(`unix:${proxy?.socketPath ?? this.socketPath}`);
    const store = new EventStore(client, undefined, limits, client, client, keys);
    this.clients.push(store);
    return store;
  }

  async proxy(): Promise<LossyProxy> {
    const proxy = await LossyProxy.start(join(this.folder, `proxy${this.proxies.length}`), this.socketPath);
    this.proxies.push(proxy);
    return proxy;
  }

  async stop(): Promise<void> {
    for (const { client } of this.clients) await client.dispose();
    for (const proxy of this.proxies) await proxy.close();
    await this.stopServer();
    await rm(this.folder, { recursive: true });
    await this.database.drop();
  }

  /** For clients of another kind than the product's. */
  get address(): string {
    return `unix:${this.socketPath}`;
  }

  private get socketPath(): string {
    return join(this.folder, 'store');
  }
}

/** A proxy between a client and a server: it forwards requests, and also answers unless it is set to lose them. */
export class LossyProxy {
  private readonly sockets = new Set<Socket>();
  private losing = false;

  private constructor(
    private readonly listener: Server,
    readonly socketPath: string,
  ) {}

  static async start(socketPath: string, targetPath: string): Promise<LossyProxy> {
    const listener = createServer();
    const proxy = new LossyProxy(listener, socketPath);
    listener.on('connection', (client) => proxy.join(client, createConnection(targetPath)));
    await new Promise<void>((listening) => listener.listen(socketPath, listening));
    return proxy;
  }

  /** The number of connected clients. */
  get connections(): number {
    return this.sockets.size / 2;
  }

  /** From now on drops everything that the server sends. */
  loseAnswers(): void {
    this.losing = true;
  }

  /** Breaks all connections; answers over new ones are forwarded again. */
  cut(): void {
    this.losing = false;
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((closed) => this.listener.close(closed));
  }

  private join(client: Socket, server: Socket): void {
    for (const socket of [client, server]) {
      this.sockets.add(socket);
      socket.on('error', () => undefined); // the other side is notified by the end of its connection
      socket.on('close', () => {
        this.sockets.delete(socket);
        client.destroy();
        server.destroy();
      });
    }
    client.on('data', (bytes) => void server.write(bytes));
    server.on('data', (bytes) => void (this.losing || client.write(bytes)));
  }
}

/** Waits until the condition holds; checks every 5 ms, and gives up after 10 s. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpAtMs = performance.now() + 10_000;
  while (!(await condition())) {
    if (performance.now() > giveUpAtMs) throw new Error(`still not so after 10 s: ${condition.toString()}`);
    await new Promise((later) => setTimeout(later, 5));
  }
}
