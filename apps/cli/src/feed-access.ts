import { isJsonObject, type JsonObject } from '@app/kernel';
import { CommandFailed } from './outcome';
import type { ServiceAccess } from './service-access';

/** An event of the feed. */
export interface FeedEvent extends JsonObject {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: JsonObject;
}

/** The cursor of the end of the feed. @throws CommandFailed when the service refuses or does not answer */
export async function endOfFeed({ baseUrl, partnerKey }: ServiceAccess): Promise<string> {
  const url = `${baseUrl}/feed/v1/events?cursor=now&limit=1`;
  const answer = await fetch(url, { headers: { 'x-api-key': partnerKey } }).catch(() => null); // no connection: said in the next line
  if (answer === null) throw new CommandFailed(`${baseUrl} does not answer: is the service started?`);
  const body: unknown = await answer.json();
  const { endCursor, reason } = isJsonObject(body) ? body : {};
  if (typeof endCursor === 'string') return endCursor;
  const why =
    reason === 'permission_required'
      ? 'the key may not read the feed: mint one with --feed true'
      : JSON.stringify(reason ?? body);
  throw new CommandFailed(`refused (${answer.status}): ${why}`);
}

/** The event in a frame of the feed. */
export function feedEventOf(data: string): FeedEvent {
  // Reason for the assertion: the feed's frames are documented so.
  return JSON.parse(data) as FeedEvent;
}

/** A signal that Ctrl-C aborts. */
export function interrupted(): AbortSignal {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
  return stopping.signal;
}
