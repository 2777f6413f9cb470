import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEventStoreServer } from '@app/event-store-server';
import {
  EventStoreDBClient,
  jsonEvent,
  type AllStreamSubscription,
  type EventType,
  type JSONEventType,
  type ResolvedEvent,
  type StreamSubscription,
} from '@eventstore/db-client';
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb';
import { credentials } from '@grpc/grpc-js';
import { madeStore } from './made-store';
import { createTestDatabase } from '../postgres';

/** The store under test: the embedded one, or the EventStoreDB / KurrentDB that EVENTSTORE_URL names. */
export interface ContractStore {
  client: EventStoreDBClient;
  /** The protocol itself, by the client's own stubs, for requests that the client cannot make. Insecure servers only. */
  protocol(): StreamsClient;
  /** Opens another client, on a connection of its own, which is closed with the store. */
  newClient(): EventStoreDBClient;
  close(): Promise<void>;
}

export async function openContractStore(): Promise<ContractStore> {
  const url = process.env['EVENTSTORE_URL'];
  if (url)
    return storeAt(
      new URL(url).host,
      (keepAliveInterval) => {
        const separator = url.includes('?') ? '&' : '?';
        return EventStoreDBClient.connectionString(`${url}${separator}keepAliveInterval=${keepAliveInterval}`);
      },
      async () => undefined,
    );
  const database = await createTestDatabase(madeStore);
  const folder = await mkdtemp(join(tmpdir(), 'parley-contract-'));
  const server = await startEventStoreServer({
    databaseUrl: database.url,
    listen: { socketPath: join(folder, 'es.sock') },
  });
  const connect = (keepAliveInterval: number): EventStoreDBClient =>
    new EventStoreDBClient({ endpoint: server.address, keepAliveInterval }, { insecure: true });
  return storeAt(server.address, connect, async () => {
    await server.close();
    await database.drop();
    await rm(folder, { recursive: true });
  });
}

function storeAt(
  address: string,
  connect: (keepAliveInterval: number) => EventStoreDBClient,
  end: () => Promise<void>,
): ContractStore {
  const clients: EventStoreDBClient[] = [];
  const protocols: StreamsClient[] = [];
  const newClient = (): EventStoreDBClient => {
    // Clients with equal options share a connection.
    const client = connect(10_000 + clients.length);
    clients.push(client);
    return client;
  };
  return {
    client: newClient(),
    newClient,
    protocol: () => {
      const protocol = new StreamsClient(address, credentials.createInsecure());
      protocols.push(protocol);
      return protocol;
    },
    close: async () => {
      await Promise.all(clients.map((client) => client.dispose()));
      for (const protocol of protocols) protocol.close();
      await end();
    },
  };
}

/** Returns a stream that no other test uses, so that the suite can run on a server with other events. */
export function uniqueStream(kind = 'contract'): string {
  return `${kind}-${randomUUID()}`;
}

export type TestEvent = JSONEventType<string, { n: number }>;

export function testEvent(n: number, id: string = randomUUID(), type = 'counted') {
  return jsonEvent<TestEvent>({ id, type, data: { n } });
}

export function testEvents(count: number, first = 0) {
  return Array.from({ length: count }, (_, index) => testEvent(first + index));
}

export async function collect(read: AsyncIterable<ResolvedEvent>): Promise<ResolvedEvent[]> {
  const events: ResolvedEvent[] = [];
  for await (const event of read) events.push(event);
  return events;
}

/** Returns the numbers of test events, in the order in which they were read. */
export function numbers(events: readonly ResolvedEvent[]): unknown[] {
  // `as`: test events carry a number.
  return events.map(({ event }) => (event?.data as { n: number } | undefined)?.n);
}

type AnySubscription = StreamSubscription<EventType> | AllStreamSubscription;

/**
 * Records the signals of a subscription in order: events, and the words `confirmed`, `caughtUp`, `ended`,
 * `error:<type>`.
 */
export class Recorder {
  readonly events: ResolvedEvent[] = [];
  readonly said: string[] = [];
  private changed: () => void = () => undefined;

  constructor(readonly subscription: AnySubscription) {
    const say = (word: string): void => {
      this.said.push(word);
      this.changed();
    };
    subscription.on('confirmation', () => say('confirmed'));
    subscription.on('caughtUp', () => say('caughtUp'));
    subscription.on('end', () => say('ended'));
    subscription.on('error', (error: Error & { type?: string }) => say(`error:${error.type ?? error.message}`));
    subscription.on('data', (event: ResolvedEvent) => {
      this.events.push(event);
      say('event');
    });
  }

  /** Waits until the condition holds; jest's timeout is the limit. */
  async until(condition: (recorder: Recorder) => boolean): Promise<void> {
    while (!condition(this)) await new Promise<void>((resolve) => (this.changed = resolve));
  }

  async untilSaid(word: string): Promise<void> {
    await this.until(({ said }) => said.includes(word));
  }

  async untilEvents(count: number): Promise<void> {
    await this.until(({ events }) => events.length >= count);
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
