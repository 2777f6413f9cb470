import { EventStoreDBClient } from '@eventstore/db-client';
import { settledWithin } from '@app/runtime';
import type { Channel } from '@grpc/grpc-js';
import { cancelReads } from './read-call';

/** The purpose of a connection. Calls of one purpose do not slow down or break those of another. */
export type Purpose = 'calls' | 'tails' | 'catch-ups';

/**
 * gRPC shares one connection among channels with equal options, and one connection carries at most 100 calls, so each purpose gets its own
 * keep-alive interval. In milliseconds, added to the requested interval.
 */
const apartByMs = { calls: 0, tails: 1, 'catch-ups': 2 } as const satisfies Record<Purpose, number>;
const keepAliveDefaultMs = 10_000;

/**
 * A lazily connecting client: `esdb://…` for EventStoreDB or KurrentDB, `unix:/path` for an embedded event store.
 * The caller disposes of it. Throws for an URL that the client cannot parse.
 */
export function connectEventStore(url: string, purpose: Purpose = 'calls'): EventStoreDBClient {
  const given = /[?&]keepAliveInterval=(-?\d+)/i.exec(url)?.[1];
  const keepAliveInterval = apart(given === undefined ? keepAliveDefaultMs : Number(given), purpose);
  // A unix socket works through the constructor only, not through a connection string.
  if (url.startsWith('unix:'))
    return quietly(new EventStoreDBClient({ endpoint: url, keepAliveInterval }, { insecure: true }));
  const parameter = `keepAliveInterval=${keepAliveInterval}`;
  const separator = url.includes('?') ? '&' : '?';
  const connectionString =
    given === undefined ? `${url}${separator}${parameter}` : url.replace(/keepAliveInterval=-?\d+/i, parameter);
  return quietly(EventStoreDBClient.connectionString(connectionString));
}

/** Adds the purpose's offset; a negative interval means no keep-alive and stays as it is. */
function apart(intervalMs: number, purpose: Purpose): number {
  return intervalMs < 0 ? intervalMs : intervalMs + apartByMs[purpose];
}

/**
 * After a broken call the client searches for its next channel in a promise that is never awaited. When it finds no node of the cluster,
 * that promise rejects, which would end the process.
 */
function quietly(client: EventStoreDBClient): EventStoreDBClient {
  const handleError = client['handleError'];
  // The next call searches for a channel again, and rejects with the same error.
  client['handleError'] = (broken, error) => handleError(broken, error).catch(() => undefined);
  const getChannel = client['getChannel'];
  client['getChannel'] = () => {
    const channel = getChannel();
    channels.set(client, channel);
    return channel;
  };
  return client;
}

/** The channel that each client uses or is connecting to. */
const channels = new WeakMap<EventStoreDBClient, Promise<Channel>>();

/**
 * Ends a client, and the connection that only it used, which its own `dispose` leaves open. Calls that do not end in time, because the
 * server does not answer, are abandoned.
 */
export async function disconnect(client: EventStoreDBClient, withinMs: number): Promise<void> {
  cancelReads(client);
  await settledWithin([client.dispose()], withinMs);
  // Not awaited: searching a cluster in which no node answers takes long.
  void channels.get(client)?.then(
    (channel) => channel.close(),
    () => undefined, // none was found
  );
}
