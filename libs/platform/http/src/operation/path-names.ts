/** Matches the names in a contract's path: `:name` is one segment, `*name` at its end is the remaining path, including slashes. */
const named = /[:*](\w+)/g;

/** The names in a path, in order. */
export function namesIn(path: string): readonly string[] {
  return [...path.matchAll(named)].map(([, name = '']) => name);
}

/** The name of the remaining path; null if there is none. */
export function restIn(path: string): string | null {
  return /\*(\w+)$/.exec(path)?.[1] ?? null;
}

/** The path as documents list it: with names in braces. */
export function listedPath(path: string): string {
  return path.replace(named, '{$1}');
}

/** The path as the router needs it. The router has no name for the remaining path: handlers take it as `@Param('*')`. */
export function routedPath(path: string): string {
  return path.replace(/\*\w+$/, '*');
}
