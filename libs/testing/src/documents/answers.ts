import { appendFileSync } from 'node:fs';
import type { JsonValue } from '@app/kernel';
import { answersFile } from '../answers/answers-file';
import { publishedDocument, show, type PublishedDocument } from './published-document';

/**
 * Holds every answer that a suite gets by `fetch` against the OpenAPI document that the very service publishes, strictly: a member,
 * a status, a reason or a header that is not documented fails the test that got it. Answers of services that were not named here pass unseen.
 */

/** By origin, the document of the service there. */
const documents = new Map<string, PublishedDocument>();
const unwatched = globalThis.fetch;

/** From now on, answers of the services at these base URLs are checked. All of them serve the same document. */
export async function watchAnswers(baseUrls: readonly string[]): Promise<void> {
  const [first] = baseUrls;
  if (first === undefined) return;
  const response = await unwatched(`${first}/openapi.json`);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${first}/openapi.json answered ${response.status}: ${text}`);
  // Without the address, every deployment of a configuration publishes the same.
  const document = publishedDocument(text.replaceAll(first, 'http://service'));
  for (const baseUrl of baseUrls) documents.set(new URL(baseUrl).origin, document);
  globalThis.fetch = watchedFetch;
}

const watchedFetch: typeof fetch = async (input, init) => {
  const response = await unwatched(input, init);
  const request = input instanceof Request ? input : null;
  const url = new URL(input instanceof Request ? input.url : input);
  const document = documents.get(url.origin);
  if (document === undefined) return response;
  const method = (init?.method ?? request?.method ?? 'GET').toLowerCase();
  const answer = { method, path: url.pathname, status: response.status, body: await jsonOf(response) };
  const { operationId, fault } = document.check(answer, response.headers);
  if (operationId !== null) appendFileSync(answersFile(), `${operationId} ${answer.status}\n`);
  if (fault !== null) {
    throw new Error(
      `${method.toUpperCase()} ${url.pathname} answered what is not documented: ${fault}\n${show(answer.body)}`,
    );
  }
  return response;
};

/** The body, when it is JSON; the response itself stays to be read. */
async function jsonOf(response: Response): Promise<JsonValue | undefined> {
  if (!/^application\/(problem\+)?json\b/.test(response.headers.get('content-type') ?? '')) return undefined;
  try {
    // Reason for the assertion: whatever JSON.parse makes is JSON.
    return JSON.parse(await response.clone().text()) as JsonValue;
  } catch {
    // Cut off on its way, by a kill or by the test itself: the reader of the response meets the same error.
    return undefined;
  }
}
