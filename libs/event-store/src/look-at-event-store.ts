import { AccessDeniedError, type EventStoreDBClient } from '@eventstore/db-client';
import { status } from '@grpc/grpc-js';
import { settledWithin } from '@app/runtime';
import { connectEventStore } from './connection';
import { EventStore } from './event-store';

/** The event store cannot be used as EVENTSTORE_URL names it; the message says what is wrong and what to do, and is all there is to say. */
export class UnfitEventStore extends Error {}

const lookWithinMs = 5_000;
/** When the server does not answer, the client's own `dispose` never returns. */
const disposeWithinMs = 1_000;

/**
 * Looks once whether the event store that EVENTSTORE_URL names lets this service in; answers whether it could be asked at all
 * (docs/decisions/configuration-and-start.md, "Start").
 * @throws UnfitEventStore for what only a wrong setting can cause
 */
export async function lookAtEventStore(url: string): Promise<'answers' | 'away'> {
  const store = new EventStore(connected(url));
  try {
    await store.readOne(lookWithinMs);
    return 'answers';
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal !== null) throw new UnfitEventStore(refusal, { cause: error });
    return 'away';
  } finally {
    await settledWithin([store.dispose()], disposeWithinMs);
  }
}

/** The client's own words for an URL that it cannot use hold the password. */
function connected(url: string): EventStoreDBClient {
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
      : 'the event store does not let the user of EVENTSTORE_URL read $all: give it that right, as members of $admins have it';
  }
  const message = cause instanceof Error ? cause.message : '';
  const [trouble] = /self-signed certificate|certificate[^.:\n]*|wrong version number/i.exec(message) ?? [];
  if (trouble === undefined) return null;
  return trouble === 'wrong version number'
    ? 'the event store speaks no TLS: set tls=false in EVENTSTORE_URL, or give the store a certificate'
    : `the event store's certificate is not believed (${trouble}): name its authority with tlsCAFile in EVENTSTORE_URL`;
}

function innermost(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? innermost(error.cause) : error;
}
