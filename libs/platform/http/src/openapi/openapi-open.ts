import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';

/**
 * Schemas of answers are open, because members may be added within `/v1` (specification, "Versioning", rule 3); bodies of requests are
 * closed. A schema that both share is published once: open, with its strictness on requests in words.
 */

const strictOnRequests = 'In a request, a member that is not named here is refused.';
/** Not expressed as a type, because answers never contain it and generated types would: see docs/choices.md. */
const nullOnRequests = 'In a request, `null` for a member that is not required is its absence.';
const schemasPointer = '#/components/schemas/';
/** Keywords whose values are not schemas. */
const samples = new Set(['example', 'examples', 'enum', 'const', 'default']);

/**
 * Returns the named schemas of a document as it publishes them.
 * @param answers the parts that refer to schemas of answers or events
 * @param requests the parts that refer to schemas of requests
 */
export function openedSchemas(schemas: JsonObject, answers: JsonValue, requests: JsonValue): JsonObject {
  const answered = reachable(answers, schemas);
  const asked = reachable(requests, schemas);
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      if (!isJsonObject(schema)) return [name, schema];
      // Generators that cannot name a schema by its reference use titles.
      const titled = { title: name, ...schema };
      const isStrict = asked.has(name) && schema['additionalProperties'] === false;
      const absence = isStrict && hasOptional(schema) ? [nullOnRequests] : [];
      if (!answered.has(name)) return [name, withWords(titled, absence)];
      const open = openSchema(titled);
      return [name, isStrict && isJsonObject(open) ? withWords(open, [strictOnRequests, ...absence]) : open];
    }),
  );
}

/** The names of the schemas that a value refers to, directly or through others. */
export function reachable(from: JsonValue, schemas: JsonObject): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (value: JsonValue): void => {
    if (Array.isArray(value)) value.forEach(visit);
    if (!isJsonObject(value)) return;
    const pointer = value['$ref'];
    if (typeof pointer === 'string' && pointer.startsWith(schemasPointer)) {
      const name = pointer.slice(schemasPointer.length);
      const schema = schemas[name];
      if (schema !== undefined && !found.has(name)) {
        found.add(name);
        visit(schema);
      }
    }
    Object.values(value).forEach(visit);
  };
  visit(from);
  return found;
}

/** Removes the constraints that forbid further members, here and in every part. */
function openSchema(schema: JsonValue): JsonValue {
  if (Array.isArray(schema)) return schema.map(openSchema);
  if (!isJsonObject(schema)) return schema;
  const kept = Object.entries(schema).filter(([key, value]) => !closes(key, value));
  return Object.fromEntries(kept.map(([key, value]) => [key, samples.has(key) ? value : openSchema(value)]));
}

function closes(key: string, value: JsonValue): boolean {
  return (key === 'additionalProperties' && value === false) || (key === 'maxProperties' && typeof value === 'number');
}

function hasOptional({ properties, required }: JsonObject): boolean {
  const needed = Array.isArray(required) ? required.length : 0;
  return isJsonObject(properties) && Object.keys(properties).length > needed;
}

function withWords(schema: JsonObject, sentences: readonly string[]): JsonObject {
  if (sentences.length === 0) return schema;
  const { description } = schema;
  const words = sentences.join(' ');
  return { ...schema, description: typeof description === 'string' ? `${description}. ${words}` : words };
}
