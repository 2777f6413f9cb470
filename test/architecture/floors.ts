import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { filesUnder, repository } from './sources';

/** The maximum number of files at one level; among more, a file is hard to find. */
const filesPerLevelMax = 30;

/** Every source folder of an app or a library, testing included: `libs/product/runs/src`. */
export function sourceFolders(): string[] {
  const folders = filesUnder('apps', 'libs').flatMap((path) => /^((?:apps|libs)\/.+?\/src)\//.exec(path)?.[1] ?? []);
  return [...new Set(folders)];
}

/** The levels of a source folder with more than the maximum number of files: `libs/product/runs/src: 41 files`. */
export function piles(folder: string): string[] {
  const counts = new Map<string, number>();
  for (const path of filesUnder(folder)) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count > filesPerLevelMax)
    .map(([level, count]) => `${level}: ${count} files`);
}

/**
 * The imports that run upward inside a source folder: at each level, its files and folders have an order in which each imports earlier ones
 * only, so their imports form no circle.
 * @returns each circle with an import for each of its arrows: `wallet -> operation -> wallet (wallet/a.ts -> operation/b.ts, …)`
 */
export function upwardArrows(folder: string): string[] {
  const imports = new Map<string, Map<string, string>>();
  for (const [from, to] of importsInside(folder)) {
    const level = commonLevel(from, to);
    const one = childOf(level, from);
    imports.set(one, (imports.get(one) ?? new Map<string, string>()).set(childOf(level, to), `${from} -> ${to}`));
  }
  return circles(imports);
}

/** Every import of one file of a source folder by another, as paths below the folder; specs are left out. */
function importsInside(folder: string): [from: string, to: string][] {
  const isSource = (path: string) => /\.tsx?$/.test(path) && !/\.(spec|d)\.tsx?$/.test(path);
  return filesUnder(folder)
    .filter(isSource)
    .flatMap((path) => {
      const text = readFileSync(join(repository, path), 'utf8');
      const imported = [...text.matchAll(/\bfrom '(\.[^']*)'|\bimport\('(\.[^']*)'\)/g)];
      return imported.flatMap(([, plain, dynamic]): [string, string][] => {
        const target = fileAt(join(dirname(path), plain ?? dynamic ?? ''));
        if (target === null || !target.startsWith(`${folder}/`)) return [];
        return [[path.slice(folder.length + 1), target.slice(folder.length + 1)]];
      });
    });
}

function fileAt(path: string): string | null {
  const stem = normalize(path).replace(/\.js$/, '');
  const candidates = [`${stem}.ts`, `${stem}.tsx`, `${stem}/index.ts`, stem];
  return candidates.find((each) => /\.tsx?$/.test(each) && existsSync(join(repository, each))) ?? null;
}

/** The deepest folder that holds both, with a slash at its end; empty for the source folder itself. */
function commonLevel(one: string, other: string): string {
  let level = '';
  for (const part of dirname(one).split('/')) {
    if (!other.startsWith(`${level}${part}/`)) break;
    level += `${part}/`;
  }
  return level;
}

/** The file or folder directly in a level that a path leads through, with the level. */
function childOf(level: string, path: string): string {
  const [child = ''] = path.slice(level.length).split('/');
  return level + child;
}

/** The first circle that each folder is found in, with an import for each of its arrows. */
function circles(imports: ReadonlyMap<string, ReadonlyMap<string, string>>): string[] {
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (folder: string, way: readonly string[]): void => {
    if (way.includes(folder)) {
      const circle = [...way.slice(way.indexOf(folder)), folder];
      const arrows = circle.slice(1).map((to, index) => imports.get(circle[index] ?? '')?.get(to));
      found.push(`${circle.join(' -> ')} (${arrows.join(', ')})`);
      return;
    }
    if (done.has(folder)) return;
    done.add(folder);
    for (const next of imports.get(folder)?.keys() ?? []) visit(next, [...way, folder]);
  };
  for (const folder of imports.keys()) visit(folder, []);
  return found;
}
