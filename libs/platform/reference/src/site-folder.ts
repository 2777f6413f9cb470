import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** From `dist/libs/platform/reference/src` it is five folders up to the product's own. */
const levelsMax = 6;

/**
 * The folder `docs/guides`: that of the nearest folder above this file which has one, so that sources, the build and an image of it find
 * the same. @throws Error if there is none: an image must include it
 */
export function siteFolder(from = __dirname): string {
  let folder = from;
  for (let level = 0; level < levelsMax; level += 1) {
    const found = join(folder, 'docs', 'guides');
    if (existsSync(found)) return found;
    folder = dirname(folder);
  }
  throw new Error(`docs/guides is missing above ${from}: GET /docs is made of it`);
}

export function readSiteFile(...path: readonly string[]): string {
  return readFileSync(join(siteFolder(), ...path), 'utf8');
}
