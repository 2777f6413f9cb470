import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import type { SchemaComponents } from './openapi-components';
import { rangeRequestHeaders } from './openapi-ranges';
import type { Contract, PathParameter } from '../operation/operation';
import { namesIn, restIn } from '../operation/path-names';

/** The same in every path. */
const userId: PathParameter = {
  description: "The token's own account, as `users.ensure` answers it",
  example: '5d1f3a52-6a5e-5b0c-9a5e-0f3c2b7d9e11',
};

/** The parameters of an operation: of its path, its query and its headers, each with an example. @throws Error for one without */
export function parametersOf(contract: Contract, components: SchemaComponents): JsonObject[] {
  const { headers, ranged, signed } = contract;
  const query = contract.query === undefined ? [] : components.membersOf(contract.query);
  return [
    ...inPath(contract),
    ...query.map(({ name, required, schema }) => ({ name, in: 'query', required, ...showParameter(name, schema) })),
    ...Object.entries({ ...headers, ...(ranged && rangeRequestHeaders) }).map(([name, schema]) => {
      return {
        name,
        in: 'header',
        required: signed === true,
        ...showParameter(name, components.refer(schema)),
      };
    }),
  ];
}

function inPath({ path, area, parameters }: Contract): JsonObject[] {
  const known: Readonly<Record<string, PathParameter>> = { ...parameters, userId };
  return namesIn(path).map((name) => {
    const parameter = known[name];
    if (parameter === undefined) throw new Error(`the path parameter ${name} is not described`);
    const isId = /(Id|Key)$/.test(name) && (area === 'partner' || area === 'operator');
    return {
      name,
      in: 'path',
      required: true,
      description: parameter.description,
      // OpenAPI supports only parameters of one path segment.
      ...(name === restIn(path) && { 'x-rest-of-path': true }),
      schema: {
        type: 'string',
        ...(isId && { format: 'uuid' }),
        ...(parameter.values && { enum: [...parameter.values] }),
      },
      example: parameter.example,
    };
  });
}

/** Moves the description and example of a parameter or header out of its schema. */
export function showParameter(name: string, { description, examples, ...schema }: JsonObject): JsonObject {
  return {
    ...(description !== undefined && { description }),
    schema,
    example: exampleOf(name, schema, isJsonList(examples) ? examples : []),
  };
}

function exampleOf(name: string, schema: JsonObject, [told]: readonly JsonValue[]): JsonValue {
  if (told !== undefined) return told;
  if (schema['default'] !== undefined) return schema['default'];
  const { enum: values } = schema;
  if (isJsonList(values) && values[0] !== undefined) return values[0];
  if (schema['type'] === 'boolean') return true;
  throw new Error(`the parameter ${name} has no example`);
}

/** Whether an operation's query has the member `cursor` of a list, whose pages it continues. */
export function isList({ query }: Contract, components: SchemaComponents): boolean {
  if (query === undefined) return false;
  const cursor = components.membersOf(query).find(({ name }) => name === 'cursor');
  return isJsonObject(cursor?.schema) && cursor.schema['type'] === 'string';
}
