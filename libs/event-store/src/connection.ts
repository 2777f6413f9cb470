import { EventStoreDBClient } from '@eventstore/db-client';

/** What a connection is for. Calls of one purpose do not slow down, or break, those of another. */
export type Purpose = 'calls' | 'tails' | 'catch-ups';

/**
 * gRPC shares one connection among channels with equal options, and one connection carries 100 calls at most, so each purpose has a
 * keep-alive interval of its own. Milliseconds, added to the one that is asked for.
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

/** A negative interval means none. */
function apart(intervalMs: number, purpose: Purpose): number {
  return intervalMs < 0 ? intervalMs : intervalMs + apartByMs[purpose];
}

/**
 * After a broken call the client looks for its next channel, in a promise that nobody awaits. When it finds no node of the cluster,
 * that promise rejects, which would end the process.
 */
function quietly(client: EventStoreDBClient): EventStoreDBClient {
  const handleError = client['handleError'];
  // The next call looks for a channel again, and rejects with the same error.
  client['handleError'] = (broken, error) => handleError(broken, error).catch(() => undefined);
  return client;
}
