import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import type { SchemaComponents } from './openapi-components';
import { rangeRequestHeaders } from './openapi-ranges';
import type { RoutedOperation } from './routed-operations';

interface PathParameter {
  readonly description: string;
  readonly example: string;
}

const pathParameters: Readonly<Record<string, PathParameter>> = {
  userId: {
    description: "The token's own account, as `users.ensure` answers it",
    example: '5d1f3a52-6a5e-5b0c-9a5e-0f3c2b7d9e11',
  },
  conversationId: { description: 'A conversation of the user', example: '019a3c5e-7d1c-7f00-8a4b-3f6b1c2d4e01' },
  runId: { description: 'A run of the user, by its public id', example: '019a3c5e-7d1c-7f00-8a4b-3f6b1c2d4e02' },
  approvalId: { description: 'An approval of the user', example: '019a3c5e-7d1c-7f00-8a4b-3f6b1c2d4e03' },
  automationId: { description: 'An automation of the user', example: '019a3c5e-7d1c-7f00-8a4b-3f6b1c2d4e04' },
  inputId: { description: 'An input of the automation', example: '019a3c5e-7d1c-7f00-8a4b-3f6b1c2d4e05' },
  artifactId: { description: 'An artifact of the conversation', example: '019a3c5e-7d1c-7f00-8a4b-3f6b1c2d4e06' },
  operationId: {
    description: "A financial operation of the user's wallet",
    example: '019a3c5e-7d1c-7f00-8a4b-3f6b1c2d4e07',
  },
  keyId: {
    description: 'Of the webhook, as in the `path` that the rotation of its secret answered',
    example: '019a3c5e-7d1c-7f00-8a4b-3f6b1c2d4e08',
  },
  tokenId: { description: 'A token of the sandbox, as its balances name it', example: 'nep141:wrap.near' },
  name: { description: 'Of the page or file', example: 'first-run' },
};

/** The parameters of an operation: of its path, its query and its headers, each with an example. @throws Error for one without */
export function parametersOf(operation: RoutedOperation, components: SchemaComponents): JsonObject[] {
  const { reference, queryDto } = operation.plan;
  const query = queryDto === 'unchecked' ? [] : components.membersOf(queryDto);
  return [
    ...inPath(operation),
    ...query.map(({ name, required, schema }) => ({ name, in: 'query', required, ...showParameter(name, schema) })),
    ...Object.entries({ ...reference.headers, ...(reference.ranged && rangeRequestHeaders) }).map(([name, schema]) => {
      return {
        name,
        in: 'header',
        required: reference.signed === true,
        ...showParameter(name, components.refer(schema)),
      };
    }),
  ];
}

function inPath({ path, area }: RoutedOperation): JsonObject[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const known = pathParameters[name];
    if (known === undefined) throw new Error(`the path parameter ${name} is not described`);
    const isId = name.endsWith('Id') && area === 'partner';
    return {
      ...{ name, in: 'path', required: true, description: known.description },
      schema: { type: 'string', ...(isId && { format: 'uuid' }) },
      example: known.example,
    };
  });
}

/** A parameter's, or header's, description and example stand beside its schema. */
export function showParameter(name: string, { description, examples, ...schema }: JsonObject): JsonObject {
  return {
    ...(description !== undefined && { description }),
    schema,
    example: exampleOf(name, schema, listOf(examples)),
  };
}

function exampleOf(name: string, schema: JsonObject, [told]: readonly JsonValue[]): JsonValue {
  if (told !== undefined) return told;
  if (schema['default'] !== undefined) return schema['default'];
  const [first] = listOf(schema['enum']);
  if (first !== undefined) return first;
  if (schema['type'] === 'boolean') return true;
  const known = pathParameters[name]?.example;
  if (known === undefined) throw new Error(`the parameter ${name} has no example`);
  return known;
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  // Reason for the assertion: a list of JSON holds JSON.
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}

/** Whether an operation's query has the member `cursor` of a list, whose pages it continues. */
export function isList({ plan }: RoutedOperation, components: SchemaComponents): boolean {
  if (plan.queryDto === 'unchecked') return false;
  const cursor = components.membersOf(plan.queryDto).find(({ name }) => name === 'cursor');
  return isJsonObject(cursor?.schema) && cursor.schema['type'] === 'string';
}
