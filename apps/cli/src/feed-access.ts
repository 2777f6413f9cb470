import { isJsonObject, type JsonObject } from '@app/kernel';
import { abortAfter } from '@app/runtime';
import { CommandFailed, NoAnswer, reasonIn } from './outcome';
import type { ServiceAccess } from './service-access';

const answerWithinMs = 15_000;

/** An event of the feed. */
export interface FeedEvent extends JsonObject {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: JsonObject;
}

/** A page of the feed. */
export interface FeedPage {
  readonly data: readonly FeedEvent[];
  readonly endCursor: string;
}

/** The cursor of the end of the feed. Throws as `feedPage`. */
export async function endOfFeed(access: ServiceAccess): Promise<string> {
  return (await feedPage(access, 'now')).endCursor;
}

/** What the feed has after a cursor. @throws NoAnswer, and CommandFailed when the service refuses */
export async function feedPage({ baseUrl, partnerKey }: ServiceAccess, cursor: string): Promise<FeedPage> {
  const url = `${baseUrl}/feed/v1/events?${new URLSearchParams({ cursor }).toString()}`;
  const { status, body } = await answered(url, partnerKey).catch((error: unknown) => {
    throw new NoAnswer(`${baseUrl} does not answer (${reasonIn(error)}): is the service started?`);
  });
  // Reason for the assertion: a page of the feed is documented so.
  if (status === 200) return body as FeedPage;
  const { reason } = isJsonObject(body) ? body : {};
  const why =
    reason === 'permission_required'
      ? 'the key may not read the feed: mint one with --feed true'
      : JSON.stringify(reason ?? body);
  throw new CommandFailed(`refused (${status}): ${why}`);
}

async function answered(url: string, partnerKey: string): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(url, { headers: { 'x-api-key': partnerKey }, signal: abortAfter(answerWithinMs) });
  return { status: answer.status, body: await answer.json() };
}

/** The event in a frame of the feed. */
export function feedEventOf(data: string): FeedEvent {
  // Reason for the assertion: the feed's frames are documented so.
  return JSON.parse(data) as FeedEvent;
}

/** The event in one line. */
export function lineOf({ id, type, timestamp, data }: FeedEvent): string {
  return `${timestamp}  ${type.padEnd(29)}  ${id}  ${JSON.stringify(data)}`;
}

/** A signal that Ctrl-C aborts. */
export function interrupted(): AbortSignal {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
  return stopping.signal;
}
