import { EventStoreDBClient } from '@eventstore/db-client';

/**
 * A lazily connecting client: `esdb://…` for EventStoreDB or KurrentDB, `unix:/path` for an embedded event store.
 * The caller disposes of it. Throws for an URL that the client cannot parse.
 */
export function connectEventStore(url: string): EventStoreDBClient {
  // A unix socket works through the constructor only, not through a connection string.
  if (url.startsWith('unix:')) return new EventStoreDBClient({ endpoint: url }, { insecure: true });
  return EventStoreDBClient.connectionString(url);
}
