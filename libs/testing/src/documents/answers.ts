import { appendFileSync } from 'node:fs';
import type { JsonValue } from '@app/kernel';
import { answersFile } from '../answers/answers-file';
import { publishedDocument, show, type PublishedDocument } from './published-document';

/**
 * Checks every answer that a suite gets by `fetch` against the OpenAPI document that the same service publishes. It is
 * strict: an undocumented member, status, reason or header fails the test that got it. Answers of services that were
 * not named here are not checked.
 */

interface Documents {
  readonly partners: PublishedDocument;
  /** Null if there is no operator API. */
  readonly operators: PublishedDocument | null;
}

/** The documents of each service, by origin. */
const documents = new Map<string, Documents>();
const unwatched = globalThis.fetch;

/**
 * From now on, checks the answers of the services at these base URLs, which all serve the same document. Call the
 * returned function to stop, because other services may get their ports then.
 */
export async function watchAnswers(baseUrls: readonly string[]): Promise<() => void> {
  const origins = baseUrls.map((baseUrl) => new URL(baseUrl).origin);
  const [first] = baseUrls;
  if (first === undefined) return () => undefined;
  const partners = await documentAt(first, '/openapi.json');
  if (partners === null) throw new Error(`${first} publishes no document`);
  const published = { partners, operators: await documentAt(first, '/operator/openapi.json') };
  for (const origin of origins) documents.set(origin, published);
  globalThis.fetch = watchedFetch;
  return () => origins.forEach((origin) => documents.delete(origin));
}

/** Returns the document that a service publishes at this path; null if it has none. */
async function documentAt(baseUrl: string, path: string): Promise<PublishedDocument | null> {
  const response = await unwatched(baseUrl + path);
  const text = await response.text();
  if (response.status === 404) return null;
  if (response.status !== 200) throw new Error(`${baseUrl}${path} answered ${response.status}: ${text}`);
  // Without the address, every deployment of a configuration publishes the same text.
  return publishedDocument(text.replaceAll(baseUrl, 'http://service'));
}

const watchedFetch: typeof fetch = async (input, init) => {
  const response = await unwatched(input, init);
  const request = input instanceof Request ? input : null;
  const url = new URL(input instanceof Request ? input.url : input);
  const published = documents.get(url.origin);
  if (published === undefined) return response;
  const method = (init?.method ?? request?.method ?? 'GET').toLowerCase();
  const isForOperators =
    url.pathname.startsWith('/operator/') || published.operators?.lists(method, url.pathname) === true;
  const document = (isForOperators ? published.operators : null) ?? published.partners;
  const answer = { method, path: url.pathname, status: response.status, body: await jsonOf(response) };
  const { operationId, fault } = document.check(answer, response.headers);
  const name = isForOperators ? `operator.${operationId}` : operationId;
  if (operationId !== null) appendFileSync(answersFile(), `${name} ${answer.status}\n`);
  if (fault !== null) {
    throw new Error(
      `${method.toUpperCase()} ${url.pathname} answered what is not documented: ${fault}\n${show(answer.body)}`,
    );
  }
  return response;
};

/** Returns the body if it is JSON; the response itself can still be read. */
async function jsonOf(response: Response): Promise<JsonValue | undefined> {
  if (!/^application\/(problem\+)?json\b/.test(response.headers.get('content-type') ?? '')) return undefined;
  try {
    // Reason for the assertion: whatever JSON.parse makes is JSON.
    return JSON.parse(await response.clone().text()) as JsonValue;
  } catch {
    // Cut off in flight, by a kill or by the test itself: the reader of the response gets the same error.
    return undefined;
  }
}
