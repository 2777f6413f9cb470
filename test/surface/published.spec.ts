/** Requirements of code generators for other languages on the documents (docs/decisions/conventions.md, "Published documents"). */
import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { RE2JS } from 're2js';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { isNull, isReference, listAt, namesFrom, objectAt, schemasIn, takenNames } from './schemas-in';

const publicUrl = 'https://agents.partner.example/parley';

let deployment: Deployment;
const documents = new Map<string, JsonObject>();

beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process', env: { LOG_LEVEL: 'silent', PUBLIC_URL: publicUrl } });
  for (const name of names) documents.set(name, await served(name));
});
afterAll(() => deployment?.stop());

const names = ['openapi.json', 'openapi-3.0.json', 'operator/openapi.json', 'asyncapi.json'];

/** Fetches without credentials, because the documents are public. */
async function served(name: string): Promise<JsonObject> {
  const answer = await fetch(`${deployment.baseUrls[0]}/${name}`);
  expect({ name, status: answer.status }).toEqual({ name, status: 200 });
  // Reason for the assertion: anything but a document fails every test below.
  return (await answer.json()) as JsonObject;
}

function documentOf(name: string): JsonObject {
  const document = documents.get(name);
  if (document === undefined) throw new Error(`${name} was not read`);
  return document;
}

/** The places of a document's schemas that break a rule. */
function breaking(name: string, isBroken: (schema: JsonObject, at: string) => boolean): string[] {
  const found = schemasIn(documentOf(name));
  expect(found.length).toBeGreaterThan(50);
  return found.filter(({ schema, at }) => isBroken(schema, at)).map(({ at }) => at);
}

const schemasOf = (name: string) => objectAt(documentOf(name)['components'], 'schemas');
const newest = ['openapi.json', 'operator/openapi.json', 'asyncapi.json'];

it('names the address that was configured', () => {
  for (const name of ['openapi.json', 'openapi-3.0.json', 'operator/openapi.json']) {
    expect(documentOf(name)['servers']).toEqual([{ url: publicUrl }]);
  }
  expect(objectAt(documentOf('asyncapi.json')['servers'], 'deployment')).toMatchObject({
    host: 'agents.partner.example',
    protocol: 'https',
    pathname: '/parley',
  });
});

describe.each(newest)('%s', (name) => {
  it('says what can be null as a list of types, or as a reference beside null', () => {
    const isBroken = (schema: JsonObject) => {
      const options = listAt(schema, 'anyOf');
      if (schema['nullable'] !== undefined || listAt(schema, 'enum').includes(null)) return true;
      return options.some(isNull) && !(options.length === 2 && options.some(isReference));
    };
    expect(breaking(name, isBroken)).toEqual([]);
  });

  it('has an enum of one for every constant', () => {
    const isBroken = (schema: JsonObject) =>
      'const' in schema && JSON.stringify(schema['enum']) !== JSON.stringify([schema['const'] ?? null]);
    expect(breaking(name, isBroken)).toEqual([]);
  });

  it('gives every enum a type', () => {
    expect(breaking(name, (schema) => 'enum' in schema && typeof schema['type'] !== 'string')).toEqual([]);
  });
});

describe.each(names)('%s', (name) => {
  it('says how wide every whole number is', () => {
    const isBroken = ({ type, format, maximum }: JsonObject) => {
      if (type !== 'integer' && !(Array.isArray(type) && type.includes('integer'))) return false;
      const isNarrow = typeof maximum === 'number' && maximum < 2 ** 31;
      return format !== (isNarrow ? 'int32' : 'int64') && format !== 'int32';
    };
    expect(breaking(name, isBroken)).toEqual([]);
  });

  it('has patterns that JavaScript and RE2 take, without needless escapes', () => {
    const isBroken = ({ pattern }: JsonObject) => {
      if (typeof pattern !== 'string') return false;
      try {
        return (
          pattern.includes('\\/') || RE2JS.compile(new RegExp(pattern, 'u').source.replaceAll('\\/', '/')) === null
        );
      } catch {
        return true;
      }
    };
    expect(breaking(name, isBroken)).toEqual([]);
  });

  it('gives every object a name of its own', () => {
    const isBroken = (schema: JsonObject, at: string) =>
      'properties' in schema && !/^\/components\/schemas\/\w+$/.test(at) && !at.includes('/bindings/');
    expect(breaking(name, isBroken)).toEqual([]);
    for (const [schemaName, schema] of Object.entries(schemasOf(name))) {
      expect(schema).toMatchObject({ title: schemaName });
    }
  });

  it('uses no name that languages or their libraries have taken', () => {
    const taken = Object.keys(schemasOf(name)).filter((one) => takenNames.has(one.toLowerCase()));
    expect(taken).toEqual([]);
  });

  it('tells the objects of every union apart by a member', () => {
    const isBroken = (schema: JsonObject) => {
      const options = [...listAt(schema, 'oneOf'), ...listAt(schema, 'anyOf')].filter((one) => !isNull(one));
      const objects = options.filter(isReference).filter((one) => !isErased(one));
      return objects.length > 1 && typeof objectAt(schema, 'discriminator')['propertyName'] !== 'string';
    };
    expect(breaking(name, isBroken)).toEqual([]);
  });

  it('tells erased words apart by a member that no words have, and marks the member', () => {
    const isBroken = (schema: JsonObject) => {
      const options = listAt(schema, 'anyOf');
      if (!options.some(isErased)) return false;
      const words = [
        ...namesFrom(
          options.filter((one) => !isErased(one)),
          {},
        ),
      ];
      const areApart = words.every((one) => !('erased' in objectAt(schemasOf(name)[one], 'properties')));
      return schema['x-personal'] !== true || !areApart;
    };
    expect(breaking(name, isBroken)).toEqual([]);
  });
});

/** Whether a variant is the form of erased words, which is no variant of their type. */
const isErased = (schema: JsonValue) => isJsonObject(schema) && schema['$ref'] === '#/components/schemas/Erased';

interface Described {
  readonly operationId: string;
  readonly parameters: readonly JsonObject[];
  readonly requestBody?: JsonObject;
  readonly responses: Record<string, JsonObject>;
  readonly 'x-reasons': Record<string, readonly string[]>;
}

function operationsOf(name: string): readonly Described[] {
  const items = Object.values(documentOf(name)['paths'] ?? {}) as unknown as Record<string, Described>[];
  return items.flatMap(Object.values<Described>);
}

/** A response, or the shared one that it refers to. */
function responseOf(name: string, response: JsonObject): JsonObject {
  const { $ref } = response;
  if (typeof $ref !== 'string') return response;
  const { responses } = documentOf(name)['components'] as { readonly responses: Record<string, JsonObject> };
  return responses[$ref.slice('#/components/responses/'.length)] ?? {};
}

describe.each(['openapi.json', 'openapi-3.0.json'])('the operations of %s', (name) => {
  const contents = (operation: Described) =>
    Object.entries(operation.responses).map(([status, response]) => ({
      status,
      content: objectAt(responseOf(name, response), 'content'),
    }));

  it('have an example for each parameter', () => {
    const without = operationsOf(name).flatMap(({ operationId, parameters }) =>
      parameters
        .filter((parameter) => parameter['example'] === undefined)
        .map((one) => `${operationId} ${JSON.stringify(one['name'])}`),
    );
    expect(without).toEqual([]);
  });

  it('declare the headers of every answer, each with an example', () => {
    const shared = objectAt(documentOf(name)['components'], 'headers');
    const headers = operationsOf(name).flatMap(({ operationId, responses }) =>
      Object.entries(responses).map(([status, response]) => {
        const declared = objectAt(responseOf(name, response), 'headers');
        return { answer: `${operationId} ${status}`, declared };
      }),
    );
    const lacking = headers.filter(
      ({ declared }) =>
        !['X-Request-Id', 'X-Content-Type-Options', 'Cache-Control'].every((header) => header in declared),
    );
    expect(lacking.map(({ answer }) => answer)).toEqual([]);
    const own = headers.flatMap(({ declared }) => Object.values(declared)).filter((header) => !isReference(header));
    for (const header of [...own, ...Object.values(shared)]) expect(header).toHaveProperty('example');
  });

  it('answer every problem with one schema, whose reasons they list in text and as x-reasons', () => {
    for (const operation of operationsOf(name)) {
      const problems = contents(operation).filter(({ content }) => 'application/problem+json' in content);
      expect(problems.map(({ status }) => status)).toEqual(Object.keys(operation['x-reasons']));
      for (const { status, content } of problems) {
        expect(objectAt(content['application/problem+json'], 'schema')).toEqual({
          $ref: '#/components/schemas/Problem',
        });
        const text = JSON.stringify(responseOf(name, operation.responses[status] ?? {})['description']);
        for (const reason of operation['x-reasons'][status] ?? []) expect(text).toContain(`\`${reason}\``);
      }
    }
  });

  it('say which bodies are bytes', () => {
    const media = operationsOf(name).flatMap((operation) => [
      ...Object.entries(objectAt(operation.requestBody, 'content')),
      ...contents(operation).flatMap(({ content }) => Object.entries(content)),
    ]);
    const bytes = media.filter(([type]) => !/json|text/.test(type));
    expect(bytes.length).toBeGreaterThanOrEqual(2);
    for (const [, content] of bytes) expect(objectAt(content, 'schema')).toMatchObject({ format: 'binary' });
  });

  it('take closed bodies and answer open ones, and say of what both share that requests are strict', () => {
    const schemas = schemasOf(name);
    const answers = operationsOf(name).flatMap((operation) => contents(operation).map(({ content }) => content));
    const answered = namesFrom(answers, schemas);
    const asked = namesFrom(
      operationsOf(name).map(({ requestBody }) => requestBody ?? null),
      schemas,
    );
    const isClosed = (schema: JsonValue) =>
      schemasIn(schema).some((one) => one.schema['additionalProperties'] === false || 'maxProperties' in one.schema);
    expect([...answered].filter((one) => isClosed(schemas[one] ?? null))).toEqual([]);
    const bodies = operationsOf(name).flatMap(({ requestBody }) => Object.values(objectAt(requestBody, 'content')));
    const open = bodies
      .flatMap((body) => [...namesFrom(body, {})])
      .filter((one) => !answered.has(one) && !isClosed(schemas[one] ?? null));
    expect(open).toEqual([]);
    const both = [...asked].filter((one) => answered.has(one) && 'properties' in (schemas[one] as JsonObject));
    expect(both).toContain('AutomationDefinition');
    for (const one of both) expect(objectAt(schemas, one)['description']).toContain('is refused');
  });

  it('say of every body with a member that is not required that null is its absence', () => {
    const schemas = schemasOf(name);
    const bodies = operationsOf(name).flatMap(({ requestBody }) => Object.values(objectAt(requestBody, 'content')));
    const asked = [...namesFrom(bodies, schemas)].filter((one) => {
      const { properties = {}, required = [] } = objectAt(schemas, one);
      return (
        Object.keys(properties as object).length > (required as readonly string[]).length && one !== 'OutputSchema'
      );
    });
    expect(asked).toEqual(expect.arrayContaining(['CreateConversation', 'StartRun', 'FiringPolicy', 'TokenChoice']));
    for (const one of asked)
      expect([one, objectAt(schemas, one)['description']]).toEqual([one, expect.stringContaining('is its absence')]);
  });
});

describe('asyncapi.json', () => {
  it('asks for both credentials: one of the server, and one of the operation', () => {
    const document = documentOf('asyncapi.json');
    expect(objectAt(document['servers'], 'deployment')['security']).toEqual([
      { $ref: '#/components/securitySchemes/partnerKey' },
    ]);
    expect(objectAt(document['operations'], 'conversations.stream')['security']).toEqual([
      { $ref: '#/components/securitySchemes/userToken' },
    ]);
  });
});
