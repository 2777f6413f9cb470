import { connect } from 'node:net';
import fc from 'fast-check';
import { anyText, bodyOf, caller, encodeWhole, holds, one, pathTo, pathWithId, rounds, underFire } from './malformed';
import { operations } from './operations';

underFire();

const withQuery = operations.filter(({ query }) => query !== undefined);
const withId = operations.filter(({ resources }) => resources.some((resource) => resource.in === 'path'));
const anyOperation = one(operations.filter(({ operation }) => operation !== 'users.ensure'));

/** Parameters that accept only the text of a number. */
const isNumber = (parameter: string) => ['limit', 'offset', 'cursor'].includes(parameter);

describe(`a bad request (${rounds} rounds) is the client’s fault`, () => {
  it('in a query: unknown, repeated or wrong parameters', () =>
    holds(
      fc
        .tuple(anyOperation, fc.constantFrom('unknown', 'repeated', 'wrong'), anyText, anyText)
        .chain(([operation, how, name, value]) => {
          const target = how === 'unknown' ? fc.constant(operation) : one(withQuery);
          return target.map((asked) => {
            const [known, good] = Object.entries(asked.query ?? {}).find(([name]) => isNumber(name)) ?? ['limit', '1'];
            const queries = {
              unknown: `${encodeWhole(name in (asked.query ?? {}) || name === '' || name === 'cursor' ? 'no' : name)}=${encodeWhole(value)}`,
              repeated: `${known}=${good}&${known}=${good}`,
              wrong: `${known}=${encodeWhole(value)}x`,
            };
            return {
              operation: asked,
              path: `${pathTo(asked)}${asked.bytes ? '&' : '?'}${queries[how]}`,
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
        // The stream accepts any whole number.
        .filter(
          ([{ operation }, cursor]) =>
            operation !== 'conversations.stream' || !/^(0|[1-9]\d*)?$/.test(cursor) || cursor === '',
        )
        .map(([operation, cursor]) => ({ operation, path: `${pathTo(operation)}?cursor=${cursor}` })),
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
        // An empty id, or a dot segment, is another route.
        .filter(([, id]) => !['', '.', '..'].includes(decoded(id)))
        .map(([operation, id]) => ({
          operation,
          path: pathWithId(operation, id),
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
          expect((await caller().get('/budget')).status).toBe(200);
        },
      ),
      { numRuns: Math.ceil(rounds / 3), endOnFailure: true },
    ));
});

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a URL that cannot be decoded is one of the cases
  }
}

/** Returns everything received for these bytes until the connection ends or is idle for two seconds. */
async function sendRaw(bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const { hostname, port } = new URL(caller().baseUrl);
    const socket = connect(Number(port), hostname, () => socket.end(bytes));
    socket.setTimeout(2_000, () => socket.destroy());
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => resolve(answer));
  });
}
