import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';

/** A place in which the published document takes a text. */
export interface Input {
  readonly operation: string;
  readonly method: string;
  /** The path with names in braces. */
  readonly path: string;
  readonly in: 'path' | 'query' | 'header' | 'body';
  /** The name of a parameter, or the members that lead to a text in a body: `profile.tools[]`, `*` for one of any name. */
  readonly name: string;
  /** Whether it takes any JSON, of which every text is meant. */
  readonly any: boolean;
  /** Whether it takes a closed set of texts, ids or instants alone. */
  readonly closed: boolean;
}

/** The name of an input in lists of them. */
export const nameOf = ({ operation, in: place, name }: Pick<Input, 'operation' | 'in' | 'name'>): string =>
  `${operation} ${place} ${name}`.trimEnd();

interface Place {
  readonly name: string;
  readonly any: boolean;
  readonly closed: boolean;
}

/** Returns every place of the operations below these paths in which the OpenAPI document takes a text. */
export function inputsOf(document: JsonObject, areas: readonly string[]): Input[] {
  const found = Object.entries(objectOf(document['paths'])).filter(([path]) =>
    areas.some((area) => path.startsWith(area)),
  );
  return found.flatMap(([path, item]) =>
    Object.entries(objectOf(item)).flatMap(([method, described]) => {
      const operation = objectOf(described);
      const of = { operation: textOf(operation['operationId']), method: method.toUpperCase(), path };
      return [...parametersOf(document, operation), ...bodiesOf(document, operation)].map((place) => ({
        ...of,
        ...place,
      }));
    }),
  );
}

/** The example of a request's body, and the media type of the body; null if it takes none. */
export function bodyOf(document: JsonObject, { path, method }: Input): { type: string; example: JsonValue } | null {
  const operation = objectOf(objectOf(objectOf(document['paths'])[path])[method.toLowerCase()]);
  const [content] = Object.entries(objectOf(objectOf(operation['requestBody'])['content']));
  return content === undefined ? null : { type: content[0], example: objectOf(content[1])['example'] ?? {} };
}

function parametersOf(document: JsonObject, { parameters }: JsonObject): (Place & Pick<Input, 'in'>)[] {
  return listOf(parameters).flatMap((given) => {
    const parameter = resolved(document, objectOf(given));
    // Reason for the assertion: OpenAPI knows these places, and cookies, which nothing here takes.
    const place = parameter['in'] as Input['in'];
    const texts = textsIn(document, objectOf(parameter['schema']), textOf(parameter['name']));
    return texts.map((text) => ({ ...text, in: place }));
  });
}

function bodiesOf(document: JsonObject, operation: JsonObject): (Place & Pick<Input, 'in'>)[] {
  const body = resolved(document, objectOf(operation['requestBody']));
  const schemas = Object.values(objectOf(body['content'])).map((content) => objectOf(objectOf(content)['schema']));
  return schemas.flatMap((schema) => textsIn(document, schema, '').map((text) => ({ ...text, in: 'body' as const })));
}

const combined = ['anyOf', 'oneOf', 'allOf'];
const closedFormats = ['uuid', 'date-time'];

/** The texts below a schema, without those of a schema within itself. */
function textsIn(document: JsonObject, schema: JsonObject, at: string, within: readonly string[] = []): Place[] {
  const reference = schema['$ref'];
  if (typeof reference === 'string')
    return within.includes(reference) ? [] : textsIn(document, resolved(document, schema), at, [...within, reference]);
  const inside = (inner: JsonValue | undefined, name: string) => textsIn(document, objectOf(inner), name, within);
  const joined = (name: string) => (at === '' ? name : `${at}.${name}`);
  const members = Object.entries(objectOf(schema['properties']));
  const { additionalProperties: more } = schema;
  return unique([
    ...ownText(schema, at),
    ...combined.flatMap((word) => listOf(schema[word]).flatMap((one) => inside(one, at))),
    ...members.flatMap(([name, member]) => inside(member, joined(name))),
    ...(schema['items'] === undefined ? [] : inside(schema['items'], `${at}[]`)),
    ...(isJsonObject(more)
      ? [{ name: joined('<name>'), any: false, closed: false }, ...inside(more, joined('*'))]
      : []),
  ]);
}

/** The text that a value of this schema itself is. */
function ownText(schema: JsonObject, name: string): Place[] {
  if (schema['enum'] !== undefined || schema['const'] !== undefined) return [{ name, any: false, closed: true }];
  const types = typeof schema['type'] === 'string' ? [schema['type']] : listOf(schema['type']);
  const closed = closedFormats.includes(textOf(schema['format']));
  if (types.includes('string')) return [{ name, any: false, closed }];
  const takesAny =
    types.length === 0
      ? !combined.some((word) => word in schema) && schema['properties'] === undefined
      : types.includes('object') && schema['properties'] === undefined && schema['additionalProperties'] !== false;
  const isMap = isJsonObject(schema['additionalProperties']);
  return takesAny && !isMap ? [{ name, any: true, closed: false }] : [];
}

/** Each place once; it is closed only if it is closed wherever it is described. */
function unique(places: readonly Place[]): Place[] {
  const byName = new Map<string, Place>();
  for (const place of places) {
    const known = byName.get(place.name);
    byName.set(place.name, {
      ...place,
      any: place.any || known?.any === true,
      closed: place.closed && known?.closed !== false,
    });
  }
  return [...byName.values()];
}

function resolved(document: JsonObject, value: JsonObject): JsonObject {
  const { $ref: reference } = value;
  if (typeof reference !== 'string') return value;
  return reference
    .slice(2)
    .split('/')
    .reduce<JsonObject>((at, name) => objectOf(at[name]), document);
}

const objectOf = (value: JsonValue | undefined): JsonObject => (isJsonObject(value) ? value : {});
const listOf = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? value : []);
const textOf = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');
