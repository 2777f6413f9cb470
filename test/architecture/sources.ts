import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import * as ts from 'typescript';

export const repository = join(__dirname, '..', '..');

/** A hand-written source file, with its path from the repository's root. */
export interface Source {
  readonly path: string;
  readonly lines: readonly string[];
  readonly tree: ts.SourceFile;
}

/** Every file that git tracks or would add, except generated ones. */
export function filesUnder(...folders: string[]): string[] {
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...folders];
  return execFileSync('git', list, { cwd: repository, encoding: 'utf8' })
    .split('\0')
    .filter((path) => path !== '' && !/\/(generated|node_modules)\//.test(path) && existsSync(join(repository, path)));
}

/** The folder of every library, in any area: `libs/product/runs`. */
export function libraries(): string[] {
  const folders = filesUnder('libs').flatMap((path) => /^(libs\/(?:[^/]+\/)?[^/]+)\/src\//.exec(path)?.[1] ?? []);
  return [...new Set(folders)];
}

export const readSource = (path: string): Source => parseSource(path, readFileSync(join(repository, path), 'utf8'));

export function parseSource(path: string, text: string): Source {
  const lines = text.replace(/\n$/, '').split('\n');
  return { path, lines, tree: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true) };
}

export const isSpec = (path: string): boolean => /\.spec\.ts$|^libs\/.+\/test\/|^test\//.test(path);

/** Every node of a tree, parents before children. */
export function* nodesOf(node: ts.Node): Generator<ts.Node> {
  yield node;
  for (const child of node.getChildren()) yield* nodesOf(child);
}

/** `path:line` of a node, as editors and terminals open it. */
export function placeOf({ path, tree }: Source, node: ts.Node): string {
  return `${path}:${tree.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
}

/** The words of a file name: `approval-deadline.decider.ts` has three and `ts`. */
export const wordsOf = (path: string): string[] => basename(path).toLowerCase().split(/[-._]/);
