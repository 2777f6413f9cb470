/** The contract in OpenAPI 3.0.3 (docs/decisions/conventions.md, "Published documents"). */
import type { JsonObject, JsonValue } from '@app/kernel';
import { openApi30 } from './openapi-3-0';

const nullable = (name: string): JsonObject => ({
  anyOf: [{ $ref: `#/components/schemas/${name}` }, { type: 'null' }],
});
const schemas: JsonObject = {
  Reason: { type: 'string', enum: ['too_late'] },
  Failure: { type: 'object', properties: { reason: nullable('Reason') } },
  Run: { type: 'object', properties: { failure: nullable('Failure'), runId: { type: ['string', 'null'] } } },
  Page: { type: 'object', properties: { data: { type: 'array', items: { $ref: '#/components/schemas/Run' } } } },
};

function converted(example: JsonValue): { readonly schemas: JsonObject; readonly answer: JsonObject } {
  const answer = { schema: { $ref: '#/components/schemas/Page' }, example };
  const document = openApi30({ info: {}, paths: { '/runs': answer }, components: { schemas } });
  // Reason for the assertion: the converted document is the one above.
  const { components, paths } = document as unknown as {
    readonly components: { readonly schemas: JsonObject };
    readonly paths: Record<string, JsonObject>;
  };
  return { schemas: components.schemas, answer: paths['/runs'] ?? {} };
}

it('gives a nullable reference the type of what it refers to', () => {
  expect(converted({ data: [] }).schemas).toMatchObject({
    Failure: { properties: { reason: { type: 'string', nullable: true, allOf: [{ $ref: expect.any(String) }] } } },
    Run: { properties: { failure: { type: 'object', nullable: true, allOf: [{ $ref: expect.any(String) }] } } },
  });
});

it.each<JsonValue>([{ data: [] }, { data: [{ failure: { reason: 'too_late' }, runId: null }] }])(
  'keeps the example %j',
  (example) => expect(converted(example).answer['example']).toEqual(example),
);

it.each<JsonValue>([{ data: [{ failure: null }] }, { data: [{}, { failure: { reason: null } }] }])(
  'leaves out the example %j, whose null a nullable allOf refuses by the letter',
  (example) => expect(converted(example).answer).not.toHaveProperty('example'),
);
