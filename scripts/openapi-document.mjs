// How an OpenAPI document is read.

export const methods = ['get', 'put', 'post', 'patch', 'delete'];

/** What a reference leads to; anything else is itself. */
export function resolved(document, schema) {
  if (schema?.$ref === undefined) return schema;
  return resolved(
    document,
    schema.$ref
      .slice(2)
      .split('/')
      .reduce((value, key) => value?.[key], document),
  );
}
