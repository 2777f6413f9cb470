import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';

/** Headers of the HTTP message itself (RFC 9110, RFC 9112), which every server sends: no document declares them. */
const ofTheMessage = new Set([
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
]);
const headersPointer = '#/components/headers/';

/**
 * Returns the fault of the received headers, or null: one that the response does not declare, or a value that does not
 * fit its schema.
 * @param shared the document's `components.headers`
 * @param fits whether a value fits a schema
 */
export function headersFault(
  headers: Headers,
  response: JsonObject,
  shared: JsonObject,
  fits: (schema: JsonObject, value: JsonValue) => boolean,
): string | null {
  const declared = new Map(Object.entries(isJsonObject(response['headers']) ? response['headers'] : {}).map(lowered));
  for (const [name, value] of headers) {
    if (ofTheMessage.has(name)) continue;
    const header = resolved(declared.get(name), shared);
    if (!isJsonObject(header)) return `does not declare the header ${name}: ${value}`;
    const { schema } = header;
    if (!isJsonObject(schema)) return `declares no schema of the header ${name}`;
    const typed = schema['type'] === 'integer' && /^\d{1,15}$/.test(value) ? Number(value) : value;
    if (!fits(schema, typed)) return `declares another form of the header ${name}: ${value}`;
  }
  return null;
}

function lowered([name, header]: [string, JsonValue]): [string, JsonValue] {
  return [name.toLowerCase(), header];
}

function resolved(header: JsonValue | undefined, shared: JsonObject): JsonValue | undefined {
  if (!isJsonObject(header) || typeof header['$ref'] !== 'string') return header;
  return shared[header['$ref'].slice(headersPointer.length)];
}
