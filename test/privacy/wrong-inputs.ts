import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import type { MarkedWords } from '@app/testing/words';
import { bodyOf, nameOf, type Input } from './inputs';
import type { WritingPerson } from './person';

/** Statuses that blame the caller, or none. */
const isAnswered = (status: number): boolean => status < 500;
const streamsMs = 300;

/**
 * Sends, for every input of the document, a request that has a word there and is good elsewhere, and some that are no requests at all.
 * Most are refused. Returns what was answered with a 5xx, which nothing may be.
 */
export async function sendWrong(
  document: JsonObject,
  inputs: readonly Input[],
  person: WritingPerson,
): Promise<string[]> {
  const { words } = person.writer;
  const faults: string[] = [];
  const send = async (name: string, input: Input, request: Request): Promise<void> => {
    const status = await statusOf(input, person, request);
    if (!isAnswered(status)) faults.push(`${name} answered ${status}`);
  };
  for (const input of inputs) await send(nameOf(input), input, requestWith(document, input, words));
  const [first] = inputs.filter(({ in: place }) => place === 'body');
  if (first === undefined) throw new Error('the contract takes no bodies');
  for (const request of noRequests(words)) await send('no request', first, request);
  return faults;
}

interface Request {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A request with a word in this place. */
function requestWith(document: JsonObject, input: Input, words: MarkedWords): Request {
  const word = words.word(`wrong: ${nameOf(input)}`);
  const example = bodyOf(document, input);
  const body =
    example === null ? {} : { body: JSON.stringify(example.example), headers: { 'content-type': example.type } };
  switch (input.in) {
    case 'path':
      return { ...body, path: { [input.name]: word } };
    case 'query':
      return { ...body, query: { [input.name]: word } };
    case 'header':
      return { ...body, headers: { ...body.headers, [input.name]: word } };
    case 'body': {
      const segments = input.name.split('.').flatMap((name) => name.split(/(?=\[\])/));
      const changed = input.name === '' ? word : JSON.stringify(changedAt(example?.example ?? {}, segments, word));
      return { ...body, body: changed };
    }
  }
}

/** A value with a word at a place, in containers that are made where there are none. */
function changedAt(value: JsonValue, [name, ...others]: readonly string[], word: string): JsonValue {
  if (name === undefined || name === '') return word;
  if (name === '[]') return [changedAt(Array.isArray(value) ? (value[0] ?? {}) : {}, others, word)];
  const object = isJsonObject(value) ? value : {};
  const key = name === '*' || name === '<name>' ? word : name;
  return { ...object, [key]: changedAt(object[key] ?? {}, others, word) };
}

/** Requests that are wrong as a whole, in every part that a client chooses. */
function noRequests(words: MarkedWords): Request[] {
  const word = (place: string) => words.word(`wrong: ${place}`);
  const json = { 'content-type': 'application/json' };
  return [
    { headers: json, body: `{"title": ${word('a body that is no JSON')}` },
    { headers: json, body: `{"title": "${word('a body that ends too early')}` },
    { headers: json, body: `{"${word('an unknown member')}": "${word('the value of an unknown member')}"}` },
    { headers: json, body: JSON.stringify(word('a body that is a text')) },
    { headers: { 'content-type': `text/${word('a media type')}` }, body: word('a body of another type') },
    { query: { [word('the name of a parameter')]: word('the value of a parameter') } },
    { headers: { cookie: `a=${word('a cookie')}`, referer: `https://example.com/${word('a referer')}` } },
    { headers: { 'user-agent': word('a user agent'), 'accept-language': word('a language') } },
    { headers: { baggage: `a=${word('baggage')}`, tracestate: `a=${word('a trace state')}` } },
    { headers: { traceparent: word('a trace parent'), 'x-forwarded-for': word('an address') } },
    { headers: { authorization: `Bearer ${word('a token that is none')}` } },
    { headers: { authorization: `Basic ${word('other credentials')}` } },
    { headers: { 'x-api-key': word('a key that is none') } },
    { headers: { origin: `https://${word('an origin')}.example` } },
    { path: { userId: word('a user') } },
  ];
}

/** Sends a request, with the ids of the person where it names none. Returns the status. */
async function statusOf({ path, method }: Input, person: WritingPerson, request: Request): Promise<number> {
  const { user } = person.writer;
  const ids: Readonly<Record<string, string>> = { ...person.ids, userId: user.userId, ...request.path };
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? user.userId));
  const query = new URLSearchParams(request.query);
  const response = await fetch(`${user.baseUrl}${filled}?${query}`, {
    method,
    headers: { ...user.headers, ...request.headers },
    signal: AbortSignal.timeout(60_000),
    ...(request.body !== undefined && method !== 'GET' && { body: request.body }),
  });
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  // A stream that has ended cannot be cancelled.
  if (isStream) setTimeout(() => void response.body?.cancel().catch(() => undefined), streamsMs);
  else await response.arrayBuffer();
  return response.status;
}
