import { AccessDeniedError, type EventStoreDBClient } from '@eventstore/db-client';
import { status } from '@grpc/grpc-js';
import { connectEventStore, disconnect } from './connection';
import { EventStore } from './event-store';

/** The event store cannot be used as EVENTSTORE_URL names it; the message says what is wrong and what to do, and is all there is to say. */
export class UnfitEventStore extends Error {}

const lookWithinMs = 5_000;
/** When the server does not answer, the client's own `dispose` never returns. */
const disposeWithinMs = 1_000;

/**
 * Looks, as often as it is asked, whether the event store that EVENTSTORE_URL names lets this service in. All looks share one
 * connection: one on which the server says nothing cannot be ended before it does (`@grpc/grpc-js` 1.14.7), so each new one would stay.
 */
export class EventStoreLook {
  private readonly client: EventStoreDBClient;
  private readonly store: EventStore;

  /** @throws UnfitEventStore for an URL that is none */
  constructor(
    url: string,
    private readonly withinMs = lookWithinMs,
  ) {
    this.client = connect(url);
    this.store = new EventStore(this.client);
  }

  /**
   * Whether the store could be asked at all (docs/decisions/configuration-and-start.md, "Start").
   * @throws UnfitEventStore for what only a wrong setting can cause
   */
  async look(): Promise<'answers' | 'away'> {
    try {
      await this.store.readOne(this.withinMs);
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

/** Looks once. @throws UnfitEventStore */
export async function lookAtEventStore(url: string): Promise<'answers' | 'away'> {
  const look = new EventStoreLook(url);
  try {
    return await look.look();
  } finally {
    await look.close();
  }
}

/** The client's own words for an URL that it cannot use hold the password. */
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

/** The message of `@grpc/grpc-js` has that of Node's TLS in it. */
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
