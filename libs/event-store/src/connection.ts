import { EventStoreDBClient } from '@eventstore/db-client';

/** What a connection is for. Calls of one purpose do not slow down, or break, those of another. */
export type Purpose = 'calls' | 'tails' | 'catch-ups';

/**
 * gRPC shares one connection among channels with equal options, so each purpose has a keep-alive interval of its own.
 * Milliseconds.
 */
const keepAliveMs = { calls: 10_000, tails: 10_001, 'catch-ups': 10_002 } as const satisfies Record<Purpose, number>;

/**
 * A lazily connecting client: `esdb://…` for EventStoreDB or KurrentDB, `unix:/path` for an embedded event store.
 * The caller disposes of it. Throws for an URL that the client cannot parse.
 */
export function connectEventStore(url: string, purpose: Purpose = 'calls'): EventStoreDBClient {
  const keepAliveInterval = keepAliveMs[purpose];
  // A unix socket works through the constructor only, not through a connection string.
  if (url.startsWith('unix:'))
    return quietly(new EventStoreDBClient({ endpoint: url, keepAliveInterval }, { insecure: true }));
  // An interval that the URL names is the user's choice; its connections are then shared.
  if (/[?&]keepAliveInterval=/i.test(url)) return quietly(EventStoreDBClient.connectionString(url));
  const separator = url.includes('?') ? '&' : '?';
  return quietly(EventStoreDBClient.connectionString(`${url}${separator}keepAliveInterval=${keepAliveInterval}`));
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
