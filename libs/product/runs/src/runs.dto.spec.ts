import { randomUUID } from 'node:crypto';
import { standalone, validateInto } from '@app/http';
import { isJsonObject, type JsonValue } from '@app/kernel';
import { ofDto } from '@app/schema';
import { Ajv2020 } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { withoutAbsent } from '@app/testing/documents';
import { mutationsOf } from '@app/testing/properties';
import { requestIn } from './start-run';
import { StartRunDto } from './runs.dto';

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
const described = standalone(ofDto(StartRunDto));
const validates = ajv.compile(described);
const fitsSchema = (body: JsonValue): boolean => validates(withoutAbsent(body, described));
const isAccepted = (body: JsonValue): boolean => validateInto(StartRunDto, body).ok;

const maybe = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.option(value, { nil: undefined });
const outputSchemas = fc.constantFrom<JsonValue>(
  {},
  { type: 'string', minLength: 1, enum: ['a', 'b'] },
  {
    type: ['object', 'null'],
    properties: { n: { type: 'integer', minimum: 0 } },
    required: ['n'],
    additionalProperties: false,
  },
  { anyOf: [{ type: 'array', items: { const: 1 }, maxItems: 3 }, { description: 'any' }] },
);
const bodies: fc.Arbitrary<JsonValue> = fc
  .record({
    conversationId: fc.uuid(),
    runId: maybe(fc.uuid()),
    input: fc.record({ text: fc.string({ minLength: 1 }), artifactIds: maybe(fc.array(fc.uuid(), { maxLength: 10 })) }),
    profile: maybe(
      fc.record({
        model: maybe(fc.constant('parley/rules')),
        instructions: maybe(fc.string()),
        tools: maybe(fc.array(fc.constantFrom('wallet_balances', 'token_price'), { maxLength: 64 })),
        maxSteps: maybe(fc.integer({ min: 1, max: 50 })),
        outputSchema: maybe(outputSchemas),
      }),
    ),
  })
  // JSON omits undefined members.
  .map((body) => JSON.parse(JSON.stringify(body)) as JsonValue);

/** Rules that JSON Schema cannot express: no text holds U+0000 or half a surrogate pair, and an output schema has at most 16 KiB. */
function isBeyondSchemas(value: JsonValue): boolean {
  if (typeof value === 'string') return value.includes('\0') || /\p{Surrogate}/u.test(value);
  if (!isJsonObject(value) && !Array.isArray(value)) return false;
  const own = isJsonObject(value) ? value['outputSchema'] : undefined;
  if (own !== undefined && Buffer.byteLength(JSON.stringify(own)) > 16 * 1024) return true;
  return Object.values(value).some((item: JsonValue) => isBeyondSchemas(item));
}

describe('the body of runs.start', () => {
  it('is documented as it is accepted', () => {
    fc.assert(
      fc.property(bodies, (body) => {
        fc.pre(!isBeyondSchemas(body));
        expect(isAccepted(body)).toBe(true);
        expect(fitsSchema(body)).toBe(true);
      }),
    );
  });

  it('may say null for every member that may be absent', () => {
    const profile = { model: null, instructions: null, tools: null, maxSteps: null, outputSchema: null };
    const body = { conversationId: randomUUID(), runId: null, input: { text: 'x', artifactIds: null }, profile };
    expect(validateInto(StartRunDto, body)).toMatchObject({ ok: true, value: { input: { text: 'x' }, profile: {} } });
    expect(requestIn(body)).toEqual({ input: { text: 'x' }, profile: {} });
    expect(requestIn({ ...body, profile: null })).toEqual({ input: { text: 'x' } });
    expect(isAccepted({ ...body, input: { text: null } })).toBe(false);
    expect(isAccepted({ ...body, input: null })).toBe(false);
  });

  it('is refused by the schema where it is refused, and only there', () => {
    fc.assert(
      fc.property(mutationsOf(bodies), (body) => {
        fc.pre(!isBeyondSchemas(body));
        expect({ body, fits: fitsSchema(body) }).toEqual({ body, fits: isAccepted(body) });
      }),
      { numRuns: 1_000 },
    );
  });
});
