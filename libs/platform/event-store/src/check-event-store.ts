import { AccessDeniedError, type EventStoreDBClient } from '@eventstore/db-client';
import { status } from '@grpc/grpc-js';
import { connectEventStore, disconnect } from './calls/connection';
import { EventStore } from './event-store';

/** The event store cannot be used as EVENTSTORE_URL names it. The message is complete: it says what is wrong and what to do. */
export class UnfitEventStore extends Error {}

const lookWithinMs = 5_000;
/** The client's own `dispose` never returns when the server does not answer. */
const disposeWithinMs = 1_000;

/**
 * Checks, as often as asked, whether the event store that EVENTSTORE_URL names accepts this service. All checks share one connection,
 * because a connection on which the server is silent cannot be ended before it answers (`@grpc/grpc-js` 1.14.7), so each new one would stay
 * open.
 */
export class EventStoreCheck {
  private readonly client: EventStoreDBClient;
  private readonly store: EventStore;

  /** @throws UnfitEventStore for an invalid URL */
  constructor(
    url: string,
    private readonly withinMs = lookWithinMs,
  ) {
    this.client = connect(url);
    this.store = new EventStore(this.client);
  }

  /**
   * Whether the store answered at all (docs/decisions/configuration-and-start.md, "Start").
   * @throws UnfitEventStore for what only a wrong setting can cause
   */
  async check(): Promise<'answers' | 'away'> {
    try {
      await this.store.health.readOne(this.withinMs);
      return 'answers';
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal !== null) throw new UnfitEventStore(refusal, { cause: error });
      return 'away';
    }
  }

  /** Ends the connection. */
  async close(): Promise<void> {
    await disconnect(this.client, disposeWithinMs);
  }
}

/** Checks once. @throws UnfitEventStore */
export async function checkEventStore(url: string): Promise<'answers' | 'away'> {
  const look = new EventStoreCheck(url);
  try {
    return await look.check();
  } finally {
    await look.close();
  }
}

/** Replaces the client's own message for an unusable URL, because it contains the password. */
function connect(url: string): EventStoreDBClient {
  try {
    return connectEventStore(url);
  } catch (error) {
    const isFile = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    const found = isFile ? ` (${error.message})` : '';
    throw new UnfitEventStore(
      `EVENTSTORE_URL cannot be used${found}: write it as esdb://user:password@host:2113, special characters percent-encoded`,
    );
  }
}

function refusalOf(error: unknown): string | null {
  const cause = innermost(error);
  if (cause instanceof AccessDeniedError) {
    return cause.code === status.UNAUTHENTICATED
      ? 'the event store refuses the user or password of EVENTSTORE_URL: correct them'
      : 'the event store does not let the user of EVENTSTORE_URL read $all: give it that right, as parley protect-streams does';
  }
  return cause instanceof Error ? tlsRefusalOf(cause.message) : null;
}

/** The message of `@grpc/grpc-js` contains that of Node's TLS. */
function tlsRefusalOf(message: string): string | null {
  if (/wrong version number/i.test(message))
    return 'the event store speaks no TLS: set tls=false in EVENTSTORE_URL, or give the store a certificate';
  if (/does not match certificate/i.test(message))
    return "the event store's certificate is for another host: name the host in EVENTSTORE_URL as the certificate does";
  const [trouble] = /(unable to [^.:;\n]*|self-signed )?certificate[^.:;\n]*/i.exec(message) ?? [];
  return trouble === undefined
    ? null
    : `the event store's certificate is not believed (${trouble}): name its authority with tlsCAFile in EVENTSTORE_URL`;
}

function innermost(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? innermost(error.cause) : error;
}
