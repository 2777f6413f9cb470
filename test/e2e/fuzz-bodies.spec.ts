import fc from 'fast-check';
import { bodyOf, holds, one, rounds, underFire } from './malformed';
import { operations } from './operations';

underFire();

/** Operations that accept `{}`. */
const optional: Readonly<Record<string, (value: unknown) => object>> = {
  'conversations.create': (title) => ({ title }),
  'approvals.deny': (reason) => ({ reason }),
  'automations.testCondition': (event) => ({ event }),
};
const withBody = operations.filter(({ body }) => body !== undefined);

/**
 * Members that accept some values that are wrong everywhere else: those of a schema or an event are the client's own, and some numbers may
 * be large or absent.
 */
const forgiving = new Set(['outputSchema', 'condition', 'cooldownSeconds', 'retryForSeconds', 'orderId', 'total']);

/** The paths of all places in a JSON value, each as a list of keys. */
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

/** Members for which null means absent. */
const absentByNull = new Set([
  'title',
  'reason',
  'input',
  'event',
  'artifactIds',
  'skewSeconds',
  'maxOccurrences',
  'endAt',
  'contract',
  'profile',
  'model',
  'instructions',
  'tools',
  'maxSteps',
  'outputSchema',
  'retryForSeconds',
]);

/** Values that no member of any body accepts. */
const wrongEverywhere = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.double({ noInteger: true, noNaN: true, noDefaultInfinity: true }),
  fc.integer({ max: -1 }),
  fc.integer({ min: 52, max: 1_000_000 }),
  fc.constant([[[]]]),
  fc.constant([{}]),
);

describe(`a bad body (${rounds} rounds) is the client’s fault`, () => {
  it('a member that is of the wrong kind', () =>
    holds(
      one(withBody).chain((operation) => {
        const body = bodyOf(operation);
        const places = placesIn(body).filter((place) => !place.some((key) => forgiving.has(key)));
        return fc
          .tuple(fc.constantFrom(...places), wrongEverywhere)
          .filter(([place, wrong]) => wrong !== null || !absentByNull.has(place.at(-1) ?? ''))
          .map(([place, wrong]) => ({ operation, body: JSON.stringify(changed(body, place, wrong)) }));
      }),
    ));

  it('a member that nobody knows', () =>
    holds(
      fc
        .tuple(one(withBody), fc.string({ unit: 'grapheme', minLength: 1, maxLength: 600 }), fc.jsonValue())
        .map(([operation, name, value]) => {
          const body = bodyOf(operation);
          const known = new Set(Object.keys(body));
          return { operation, body: JSON.stringify({ ...body, [known.has(name) ? `${name}_` : name]: value }) };
        }),
    ));

  it('any JSON that is not the operation’s', () =>
    holds(
      fc.tuple(one(withBody), fc.jsonValue({ maxDepth: 4 })).map(([operation, value]) => ({
        operation,
        body: JSON.stringify(optional[operation.operation]?.([value]) ?? value),
      })),
    ));

  it('bytes that are no JSON, or were cut or altered', () =>
    holds(
      fc
        .tuple(one(withBody), fc.uint8Array({ minLength: 1, maxLength: 200 }), fc.nat(), fc.boolean())
        .map(([operation, bytes, place, cut]) => {
          const whole = Buffer.from(JSON.stringify(bodyOf(operation)));
          const at = place % (whole.length - 1);
          // A lone control character makes the text invalid JSON.
          const text = cut ? whole.subarray(0, at + 1) : Buffer.concat([Buffer.from([1]), bytes]);
          return { operation, body: new Uint8Array(text) };
        }),
    ));

  it('JSON that I-JSON rules out', () =>
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
            '\ufeff\ufeff{"title":"x"}',
            '{"title":"x"}\ufeff',
            '"title"',
            '7',
            'null',
            'true',
            '[]',
          ),
        )
        .map(([operation, body]) => ({ operation, body })),
    ));

  it('a Content-Type that is not JSON’s', () =>
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
});
