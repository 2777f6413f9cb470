import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import fc from 'fast-check';
import { startDeployment, type Deployment } from '../support/deployment';
import type { TestClient } from '../support/deployment-client';
import { conversationOf, eventCount, quiet, say } from './journeys';
import { operations, pathOf, type Ids, type OperationCall } from './operations';

/** Malformed requests per kind of damage; more of them with FUZZ_ROUNDS. */
const rounds = Number(process.env['FUZZ_ROUNDS'] ?? 60);
const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000);
const answerWithinMs = 15_000;

let deployment: Deployment;
let user: TestClient;
let ids: Ids;
let before: number;
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process' });
  user = await deployment.newUser();
  const conversationId = await conversationOf(user);
  ids = { userId: user.userId, conversationId, runId: String((await say(user, conversationId))['id']) };
  await quiet(deployment);
  before = await eventCount(deployment);
});
afterAll(() => deployment.stop());
afterEach(async () => {
  await quiet(deployment);
  expect(await eventCount(deployment)).toBe(before);
});

interface Damaged {
  readonly operation: OperationCall;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

/** Sends a request that is wrong somewhere: the answer must be a problem, and the client's fault. */
async function send({ operation, path, headers, body }: Damaged): Promise<void> {
  const sent = operation.method === 'GET' ? undefined : body;
  const response = await fetch(user.baseUrl + (path ?? pathOf(operation, ids)), {
    method: operation.method,
    headers: { ...user.headers, ...(sent === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    signal: AbortSignal.timeout(answerWithinMs),
    ...(sent === undefined ? {} : { body: sent }),
  });
  const type = response.headers.get('content-type');
  if (response.status < 400) await response.body?.cancel();
  expect([response.status, type]).toEqual([expect.any(Number), 'application/problem+json']);
  expect(response.status).toBeGreaterThanOrEqual(400);
  expect(response.status).toBeLessThan(500);
  const problem = (await response.json()) as { status: number; issues?: { path: string }[] };
  expect(problem.status).toBe(response.status);
  for (const { path: pointer } of problem.issues ?? []) expect(pointer).toMatch(/^(\/|$)/);
}

async function holds(damage: fc.Arbitrary<Damaged>, numRuns = rounds): Promise<void> {
  await fc.assert(fc.asyncProperty(damage, send), { numRuns, seed, endOnFailure: true });
}

const withBody = operations.filter(({ body }) => body !== undefined);
const withQuery = operations.filter(({ query }) => query !== undefined);
const withId = operations.filter(({ resource }) => resource?.in === 'path');
const one = (some: readonly OperationCall[]) => fc.constantFrom(...some);
const anyOperation = one(operations.filter(({ operation }) => operation !== 'users.ensure'));
const anyText = fc.string({ unit: 'binary', maxLength: 40 });

/** A well-formed body, with a run of its own so that no replay is answered. */
function bodyOf(operation: OperationCall): Record<string, unknown> {
  return JSON.parse(JSON.stringify(operation.body?.({ ...ids, runId: randomUUID() }) ?? {})) as Record<string, unknown>;
}

/** The places in a JSON value, each as the keys that lead there. */
function placesIn(value: unknown, at: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [[...at]];
  const inside = Object.entries(value).flatMap(([key, member]) => placesIn(member, [...at, key]));
  return at.length === 0 ? inside : [[...at], ...inside];
}

function changed(value: unknown, [key, ...rest]: readonly string[], to: unknown): unknown {
  if (key === undefined) return to;
  const copy = Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) };
  Reflect.set(copy, key, changed(Reflect.get(copy, key), rest, to));
  return copy;
}

/** Values that no member of any body takes. */
const wrongEverywhere = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.double({ noInteger: true, noNaN: true, noDefaultInfinity: true }),
  fc.integer({ max: -1 }),
  fc.integer({ min: 52, max: 1_000_000 }),
  fc.constant([[[]]]),
  fc.constant([{}]),
);

describe(`bad input (seed ${seed}, ${rounds} rounds)`, () => {
  it('in a body: a member that is of the wrong kind', () =>
    holds(
      one(withBody).chain((operation) => {
        const body = bodyOf(operation);
        // Members of the schema are the client's own: a few of them are taken whatever they say.
        const places = placesIn(body).filter((place) => !place.includes('outputSchema'));
        return fc
          .tuple(fc.constantFrom(...places), wrongEverywhere)
          .map(([place, wrong]) => ({ operation, body: JSON.stringify(changed(body, place, wrong)) }));
      }),
    ));

  it('in a body: a member that nobody knows', () =>
    holds(
      fc
        .tuple(one(withBody), fc.string({ unit: 'grapheme', minLength: 1, maxLength: 600 }), fc.jsonValue())
        .map(([operation, name, value]) => {
          const body = bodyOf(operation);
          const known = new Set(Object.keys(body));
          return { operation, body: JSON.stringify({ ...body, [known.has(name) ? `${name}_` : name]: value }) };
        }),
    ));

  it('in a body: any JSON that is not the operation’s', () =>
    holds(
      fc.tuple(one(withBody), fc.jsonValue({ maxDepth: 4 })).map(([operation, value]) => ({
        operation,
        body: JSON.stringify(operation.operation === 'conversations.create' ? { title: [value] } : value),
      })),
    ));

  it('in a body: bytes that are no JSON, or were cut or altered', () =>
    holds(
      fc
        .tuple(one(withBody), fc.uint8Array({ minLength: 1, maxLength: 200 }), fc.nat(), fc.boolean())
        .map(([operation, bytes, place, cut]) => {
          const whole = Buffer.from(JSON.stringify(bodyOf(operation)));
          const at = place % (whole.length - 1);
          // A lone control character makes JSON of nothing.
          const text = cut ? whole.subarray(0, at + 1) : Buffer.concat([Buffer.from([1]), bytes]);
          return { operation, body: new Uint8Array(text) };
        }),
    ));

  it('in a body: JSON that I-JSON rules out', () =>
    holds(
      fc
        .tuple(
          one(withBody),
          fc.constantFrom(
            '{"__proto__":{}}',
            '{"title":"\\u0000"}',
            '{"title":"\\udc00"}',
            '{"title":"a","title":"b"}',
            '{"input":{"text":"a","text":"b"}}',
            '{"a":1e400}',
            '{"a":123456789012345678901}',
            '{"a":0.1000000000000000055511151231257827}',
            `${'{"a":'.repeat(33)}1${'}'.repeat(33)}`,
            `${'['.repeat(100_000)}`,
            '{"title":NaN}',
            "{'title':'x'}",
            '{"title":"x",}',
            '\ufeff{"title":"x"}',
            '"title"',
            '7',
            'null',
            'true',
            '[]',
          ),
        )
        .map(([operation, body]) => ({ operation, body })),
    ));

  it('in a body: a Content-Type that is not JSON’s', () =>
    holds(
      fc
        .tuple(
          one(withBody),
          fc.constantFrom(
            'text/plain',
            'application/xml',
            'multipart/form-data; boundary=x',
            'application/json; charset=latin1',
            'json',
            'application/jsonp',
            'application/x-www-form-urlencoded',
          ),
        )
        .map(([operation, type]) => ({
          operation,
          body: JSON.stringify(bodyOf(operation)),
          headers: { 'content-type': type },
        })),
    ));

  it('in a query: unknown, repeated or wrong parameters', () =>
    holds(
      fc
        .tuple(anyOperation, fc.constantFrom('unknown', 'repeated', 'wrong'), anyText, anyText)
        .chain(([operation, how, name, value]) => {
          const target = how === 'unknown' ? fc.constant(operation) : one(withQuery);
          return target.map((asked) => {
            const [[known = 'limit', good = '1'] = []] = Object.entries(asked.query ?? {});
            const queries = {
              unknown: `${encodeWhole(name in (asked.query ?? {}) || name === '' || name === 'cursor' ? 'no' : name)}=${encodeWhole(value)}`,
              repeated: `${known}=${good}&${known}=${good}`,
              wrong: `${known}=${encodeWhole(value)}x`,
            };
            return {
              operation: asked,
              path: `${pathOf(asked, ids)}?${queries[how]}`,
              body: JSON.stringify(bodyOf(asked)),
            };
          });
        }),
    ));

  it('in a cursor', () =>
    holds(
      fc
        .tuple(
          one(withQuery),
          fc.oneof(
            anyText.map((text) => encodeWhole(text)),
            fc.base64String({ maxLength: 400 }).map(encodeURIComponent),
            fc.constantFrom('%00', '-1', '1.5', '%F0%9F%90%A6', 'a'.repeat(257), 'A'.repeat(8_000)),
          ),
        )
        // The stream takes any whole number.
        .filter(
          ([{ operation }, cursor]) =>
            operation !== 'conversations.stream' || !/^(0|[1-9]\d*)?$/.test(cursor) || cursor === '',
        )
        .map(([operation, cursor]) => ({ operation, path: `${pathOf(operation, ids)}?cursor=${cursor}` })),
    ));

  it('in an id of the path', () =>
    holds(
      fc
        .tuple(
          one(withId),
          fc.oneof(
            anyText.map((text) => encodeWhole(text)),
            fc.uuid().map((id) => id.slice(1)),
            fc.uuid({ version: 4 }),
            fc.constantFrom('%', '%zz', '%c0%80', '%2e%2e', 'null', 'undefined', '*', 'a'.repeat(5_000), '%00'),
          ),
        )
        // No text at all, or a dot segment, is another route.
        .filter(([, id]) => !['', '.', '..'].includes(decoded(id)))
        .map(([operation, id]) => ({
          operation,
          path: operation.path.replace(':userId', ids.userId).replace(/:(conversationId|runId)/, id),
          body: JSON.stringify(bodyOf(operation)),
        })),
    ));

  it('in the headers that decide who calls', () =>
    holds(
      fc
        .tuple(
          anyOperation,
          fc.constantFrom('x-api-key', 'authorization', 'origin'),
          fc.string({ minLength: 1, maxLength: 300 }).map((text) => `x${text.replace(/[^\x21-\x7e]/g, '~')}`),
        )
        .map(([operation, name, value]) => ({
          operation,
          headers: { [name]: value },
          body: JSON.stringify(bodyOf(operation)),
        })),
    ));

  it('in a Last-Event-ID', () =>
    holds(
      fc
        .string({ minLength: 1, maxLength: 40 })
        .map((text) => `x${text.replace(/[^\x21-\x7e]/g, '~')}`)
        .map((lastEventId) => ({
          operation: operations.find(({ streams }) => streams) ?? operations[0]!, // reason: the table has it
          headers: { 'last-event-id': lastEventId },
        })),
    ));

  it('that is no HTTP at all: each connection gets an answer of the client’s fault, or none, and the service goes on', () =>
    fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.uint8Array({ minLength: 1, maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
          fc
            .tuple(
              fc.constantFrom('GET', 'POST', 'BREW', ''),
              anyText,
              fc.constantFrom('HTTP/1.1', 'HTTP/9.9', ''),
              anyText,
            )
            .map(([method, path, version, header]) =>
              Buffer.from(`${method} ${path} ${version}\r\nHost: x\r\n${header}\r\n\r\n`),
            ),
        ),
        async (bytes) => {
          const status = /^HTTP\/1\.1 (\d{3})/.exec(await sendRaw(bytes))?.[1];
          if (status !== undefined) expect(status).toMatch(/^4\d\d$/);
          expect((await user.get('/budget')).status).toBe(200);
        },
      ),
      { numRuns: Math.ceil(rounds / 3), seed, endOnFailure: true },
    ));
});

/** Percent-encodes a text; a lone surrogate in it becomes U+FFFD. */
function encodeWhole(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a URL that cannot be decoded is one of the cases
  }
}

/** What comes back for these bytes until the connection ends, or nothing comes for a while. */
async function sendRaw(bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const { hostname, port } = new URL(user.baseUrl);
    const socket = connect(Number(port), hostname, () => socket.end(bytes));
    socket.setTimeout(2_000, () => socket.destroy());
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => resolve(answer));
  });
}
