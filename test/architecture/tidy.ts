import * as ts from 'typescript';
import { nodesOf, placeOf, type Source } from './sources';

/** Functions of a file that are longer than allowed, as `path:line name (n lines)`. */
export function longFunctions(source: Source, linesMax: number): string[] {
  const { tree } = source;
  const lineOf = (position: number): number => tree.getLineAndCharacterOfPosition(position).line;
  return [...nodesOf(tree)].flatMap((node) => {
    if (!ts.isFunctionLike(node)) return [];
    const lines = lineOf(node.getEnd()) - lineOf(node.getStart()) + 1;
    return lines > linesMax ? [`${placeOf(source, node)} (${lines} lines)`] : [];
  });
}

/** Places that override the types (`as`, `!`, `any`) or the linter without a `//` reason on the same line or the one before. */
export function unreasonedHoles(source: Source): string[] {
  const holes = [...nodesOf(source.tree)].filter(isHole);
  const places = holes.filter((node) => !hasReason(source, node)).map((node) => placeOf(source, node));
  const silenced = source.lines.flatMap((line, index) =>
    /eslint-disable|@ts-(ignore|expect-error|nocheck)/.test(line) && !/ -- \S|: \S/.test(line)
      ? [`${source.path}:${index + 1}`]
      : [],
  );
  return [...new Set([...places, ...silenced])];
}

function isHole(node: ts.Node): boolean {
  if (ts.isAsExpression(node)) return node.type.getText() !== 'const';
  return ts.isNonNullExpression(node) || ts.isTypeAssertionExpression(node) || node.kind === ts.SyntaxKind.AnyKeyword;
}

/** Whether a comment is on the line of the hole, above it, or above the statement that contains it. */
function hasReason({ tree, lines }: Source, node: ts.Node): boolean {
  const holeLine = tree.getLineAndCharacterOfPosition(node.getEnd()).line;
  const startLine = tree.getLineAndCharacterOfPosition(node.getStart()).line;
  return [startLine - 1, startLine, holeLine].some((line) => isComment(lines[line] ?? ''));
}

const isComment = (line: string): boolean => /(^|\s)\/\/ ?\S/.test(line);

/** Statements that an index.ts must not contain: anything but `export { … } from '…'`. */
export function looseExports(source: Source): string[] {
  const named = (statement: ts.Statement): boolean =>
    ts.isExportDeclaration(statement) &&
    statement.moduleSpecifier !== undefined &&
    statement.exportClause?.kind === ts.SyntaxKind.NamedExports;
  return source.tree.statements.filter((statement) => !named(statement)).map((statement) => placeOf(source, statement));
}

/** The middle value of a list of numbers; 0 for an empty one. */
export function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

/** Numbers of the lines of a page that are longer than allowed, tables and code left out. */
export function wideLines(lines: readonly string[], charactersMax: number): number[] {
  let isCode = false;
  return lines.flatMap((line, index) => {
    if (line.trimStart().startsWith('```')) isCode = !isCode;
    const isProse = !isCode && !line.trimStart().startsWith('|');
    return isProse && line.length > charactersMax ? [index + 1] : [];
  });
}
