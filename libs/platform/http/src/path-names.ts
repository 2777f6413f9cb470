/**
 * The path of a contract: `:name` stands for one part of it, `*name` at its end for all that is left, with the slashes in it.
 */
const named = /[:*](\w+)/g;

/** What the path names, in its order. */
export function namesIn(path: string): readonly string[] {
  return [...path.matchAll(named)].map(([, name = '']) => name);
}

/** What stands for all that is left of the path; null where nothing does. */
export function restIn(path: string): string | null {
  return /\*(\w+)$/.exec(path)?.[1] ?? null;
}

/** As documents list it: with what it names in braces. */
export function listedPath(path: string): string {
  return path.replace(named, '{$1}');
}

/** As the router knows it, which has no name for the rest of a path: handlers take it as `@Param('*')`. */
export function routedPath(path: string): string {
  return path.replace(/\*\w+$/, '*');
}
