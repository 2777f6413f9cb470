// What @parley/client knows of the service: TypeScript made from its OpenAPI document. Pure: the document in, the files' texts out.
import openapiTS, { astToString } from 'openapi-typescript';

const notice = "// Made from the service's OpenAPI document by scripts/client.mjs.\n\n";

/** The closed sets that clients compare with: the name of each, the name of its type, and where the document has it. */
const closedSets = [
  ['reasons', 'Reason', 'Problem.reason'],
  ['runStatuses', 'RunStatus', 'Run.status'],
  ['automationStates', 'AutomationState', 'Automation.state'],
];

/** Members by which the service recognizes a repeated call. The client makes one where none is given. */
const idMembers = ['runId', 'idempotencyKey'];

const methods = ['get', 'put', 'post', 'patch', 'delete'];

/** @returns {Promise<Record<string, string>>} texts by file name. Throws when the document lacks what clients are promised. */
export async function clientTypes(document) {
  const own = partnerApi(document);
  const ids = clientMadeIds(own);
  relax(own, ids);
  withoutDiscriminators(own);
  return {
    'openapi.ts': notice + astToString(await openapiTS(own)),
    'enums.ts': notice + [...closedSets.map((row) => closedSet(own, row)), eventTypes(own)].join('\n'),
    'operations.ts': `${notice}/** The member of a call's body that makes a repetition of it known. */\nexport const clientMadeIds = ${text(ids)} as const;\n`,
  };
}

/** The operations that partners call, with their successes: every failure is a `Problem`. */
function partnerApi(document) {
  const own = structuredClone(document);
  own.paths = Object.fromEntries(Object.entries(own.paths).filter(([path]) => path.startsWith('/v1/')));
  for (const item of Object.values(own.paths)) {
    for (const operation of methods.flatMap((method) => item[method] ?? [])) {
      const successes = Object.entries(operation.responses).filter(([status]) => /^2/.test(status));
      operation.responses = Object.fromEntries(successes);
    }
  }
  return own;
}

function closedSet(document, [name, type, place]) {
  const [schemaName, ...members] = place.split('.');
  const schema = members.reduce(
    (schema, member) => resolved(document, resolved(document, schema)?.properties?.[member]),
    resolved(document, { $ref: `#/components/schemas/${schemaName}` }),
  );
  const values = valuesOf(document, schema);
  if (values.length === 0) throw new Error(`the OpenAPI document has no closed set at ${place}`);
  return constant(name, type, values, `\`${place}\``);
}

/** The discriminators of the journal's events. */
function eventTypes(document) {
  const path = '/v1/users/{userId}/conversations/{conversationId}/events';
  const page = resolved(document, document.paths[path]?.get?.responses['200']?.content['application/json'].schema);
  const event = resolved(document, resolved(document, page?.properties?.data)?.items);
  const payload = resolved(document, event?.properties?.payload);
  const variants = payload?.oneOf ?? payload?.anyOf ?? [];
  const values = variants.flatMap((variant) => valuesOf(document, resolved(document, variant).properties?.type));
  if (values.length === 0) throw new Error('the OpenAPI document has no closed set of event types');
  return constant('eventTypes', 'EventType', values, "the durable events of a conversation's journal");
}

/** Every text that a schema lets through; those of a nullable one without the null. */
function valuesOf(document, schema) {
  const { enum: values, const: value, oneOf, anyOf } = resolved(document, schema) ?? {};
  if (values !== undefined) return values;
  if (value !== undefined) return [value];
  return (oneOf ?? anyOf ?? []).flatMap((one) => valuesOf(document, one));
}

function constant(name, type, values, what) {
  return `/** Every value of ${what}. */
export const ${name} = ${text([...new Set(values)])} as const;
export type ${type} = (typeof ${name})[number];
`;
}

/** `POST /path` -> the member of its body that makes a repetition known. */
function clientMadeIds(document) {
  const found = bodies(document).flatMap(({ call, schema }) => {
    const member = idMembers.find((name) => schema.properties?.[name] !== undefined);
    return member === undefined ? [] : [[call, member]];
  });
  return Object.fromEntries(found);
}

function bodies(document) {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const body = resolved(document, item[method]?.requestBody);
      const schema = resolved(document, body?.content?.['application/json']?.schema);
      return schema === undefined ? [] : [{ call: `${method.toUpperCase()} ${path}`, schema }];
    }),
  );
}

/** What the client makes by itself need not be given. */
function relax(document, ids) {
  for (const { call, schema } of bodies(document)) {
    if (schema.required !== undefined) schema.required = schema.required.filter((name) => name !== ids[call]);
  }
}

/** Constants tell the variants apart already; openapi-typescript would put the schemas' names in their place. */
function withoutDiscriminators(value) {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value) && typeof value.discriminator === 'object' && value.properties === undefined) {
    delete value.discriminator;
  }
  for (const inner of Object.values(value)) withoutDiscriminators(inner);
}

function resolved(document, schema) {
  if (schema?.$ref === undefined) return schema;
  return resolved(
    document,
    schema.$ref
      .slice(2)
      .split('/')
      .reduce((value, key) => value?.[key], document),
  );
}

const text = (value) => JSON.stringify(value, null, 2);
