import { isJsonObject, type JsonObject } from '@app/kernel';
import { abortAfter, bodyWithin, fetchWithoutRedirects } from '@app/runtime';
import { answerBytesMax } from '../operators/operator-call';
import { outputLost } from '../terminal/lost-output';
import { CommandFailed, NoAnswer } from '../terminal/outcome';
import type { ServiceAccess } from '../service/service-access';
import { noAnswerOf, problemInWords } from '../service/service-fetch';

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

/** Returns the cursor of the end of the feed. Throws as `feedPage`. */
export async function endOfFeed(access: ServiceAccess): Promise<string> {
  return (await feedPage(access, 'now')).endCursor;
}

/** Returns the cursor to begin after: the requested one, or that of the end of the feed. Throws as `feedPage`. */
export async function beginningAt(access: ServiceAccess, asked: string | undefined): Promise<string> {
  // A follower that is disconnected before its first event would take `now` for a later moment than its user meant.
  return asked === undefined || asked === 'now' ? endOfFeed(access) : asked;
}

/** Returns the events of the feed after a cursor. @throws NoAnswer, and CommandFailed when the service refuses */
export async function feedPage({ baseUrl, partnerKey }: ServiceAccess, cursor: string): Promise<FeedPage> {
  const path = `/feed/v1/events?${new URLSearchParams({ cursor }).toString()}`;
  const { status, body } = await answered(baseUrl, path, { 'x-api-key': partnerKey });
  // Reason for the assertion: this is the documented form of a page of the feed.
  if (status === 200) return body as FeedPage;
  const { reason } = isJsonObject(body) ? body : {};
  const why =
    reason === 'permission_required'
      ? 'the key may not read the feed: mint one with --feed true'
      : problemInWords(JSON.stringify(body));
  throw new CommandFailed(`refused (${status}): ${why}`);
}

/** Returns the id of the token's user. @throws NoAnswer, and CommandFailed when the service does not know them */
export async function userOf(baseUrl: string, headers: Readonly<Record<string, string>>): Promise<string> {
  const { body } = await answered(baseUrl, '/v1/users/me', headers);
  const userId = isJsonObject(body) ? body['userId'] : undefined;
  if (typeof userId === 'string') return userId;
  throw new CommandFailed(`${baseUrl} does not say whose the token is: ${problemInWords(JSON.stringify(body))}`);
}

async function answered(
  baseUrl: string,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ status: number; body: unknown }> {
  try {
    const answer = await fetchWithoutRedirects(baseUrl + path, { headers, signal: abortAfter(answerWithinMs) });
    const body: unknown = JSON.parse((await bodyWithin(answer, answerBytesMax)).toString());
    return { status: answer.status, body };
  } catch (error) {
    throw new NoAnswer(noAnswerOf(baseUrl, error));
  }
}

/** Parses the event in a frame of the feed. */
export function feedEventOf(data: string): FeedEvent {
  // Reason for the assertion: this is the documented form of the feed's frames.
  return JSON.parse(data) as FeedEvent;
}

/** Formats the event as one line. */
export function lineOf({ id, type, timestamp, data }: FeedEvent): string {
  return `${timestamp}  ${type.padEnd(29)}  ${id}  ${JSON.stringify(data)}`;
}

/** Returns a signal that Ctrl-C aborts. */
export function interrupted(): AbortSignal {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
  return AbortSignal.any([stopping.signal, outputLost]);
}
