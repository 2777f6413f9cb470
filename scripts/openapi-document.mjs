// Functions to read an OpenAPI document.

export const methods = ['get', 'put', 'post', 'patch', 'delete'];

/** The target of a reference; anything else is returned unchanged. */
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
