import { readStore } from '@app/composition';
import { filesUnder, isSpec, readSource, type Source } from './sources';

/** Projections are named after their first tables. */
const names = readStore.projections.map(({ name }) => name).join('|');
/** A read model's table in a statement, or before the name of a stored counter. */
const plain = new RegExp(`\\b(FROM|JOIN|USING|INTO|UPDATE) "?(${names})\\b|'(${names})/' *\\|\\|`);
/** A column of such a table, in files with statements on read models. */
const qualified = new RegExp(`(?<![{\\w./'"\`@-])(${names})\\.[a-z_]+\\b(?!\\()`);
const inBraces = new RegExp(`\\{(${names})\\}`);
/** Migrations create the first tables, and their statements do not depend on which table is read. */
const declares = /\.(row|projection)\.ts$|^libs\/testing\//;

function placesIn({ path, lines }: Pick<Source, 'path' | 'lines'>): string[] {
  const hasStatements = lines.some((line) => inBraces.test(line));
  const isWrong = (line: string): boolean => plain.test(line) || (hasStatements && qualified.test(line));
  return lines.flatMap((line, index) => (isWrong(line) ? [`${path}:${index + 1}`] : []));
}

describe('statements', () => {
  it('name read models in braces: which of its tables is read changes while the process runs', () => {
    const sources = filesUnder('apps', 'libs').filter(
      (path) => path.endsWith('.ts') && !isSpec(path) && !declares.test(path),
    );
    expect(sources.map(readSource).flatMap(placesIn)).toEqual([]);
  });

  it('are found where they do not', () => {
    const lines = [
      'SELECT 1 FROM runs',
      'DELETE FROM x USING {runs}',
      `name = 'runs/' || $1`,
      'LEFT JOIN approvals AS a',
    ];
    expect(placesIn({ path: 'a.ts', lines })).toEqual(['a.ts:1', 'a.ts:3', 'a.ts:4']);
    const columns = ['SELECT messages.seq AS seq', 'FROM {messages} ORDER BY {messages}.seq', '`messages.get`'];
    expect(placesIn({ path: 'b.ts', lines: columns })).toEqual(['b.ts:1']);
  });
});
