import { isJsonList, type JsonValue } from './json';

/** RFC 6901. */
export const pointerForm = /^(?:\/(?:[^~/]|~[01])*)*$/u;
const indexForm = /^(?:0|[1-9]\d*)$/;

/** Whether a text is a JSON pointer (RFC 6901); the empty one refers to the whole document. */
export function isJsonPointer(text: string): boolean {
  return pointerForm.test(text);
}

/** The value at a JSON pointer in a document, or undefined: only own members, and items by index. */
export function valueAt(document: JsonValue, pointer: string): JsonValue | undefined {
  let found: JsonValue | undefined = document;
  for (const token of pointer.split('/').slice(1)) {
    found = within(found, token.replaceAll('~1', '/').replaceAll('~0', '~'));
    if (found === undefined) return undefined;
  }
  return found;
}

function within(value: JsonValue, token: string): JsonValue | undefined {
  if (value === null || typeof value !== 'object') return undefined;
  if (isJsonList(value)) return indexForm.test(token) ? value[Number(token)] : undefined;
  return Object.hasOwn(value, token) ? value[token] : undefined;
}
