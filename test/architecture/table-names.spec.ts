import { readStore } from '@app/composition';
import { filesUnder, isSpec, readSource, type Source } from './sources';

/** Projections are named after their first tables. */
const names = readStore.projections.map(({ name }) => name).join('|');
/** A read model's table in a statement, or before the name of a kept counter. */
const plain = new RegExp(`\\b(FROM|JOIN|USING|INTO|UPDATE) "?(${names})\\b|'(${names})/' *\\|\\|`);
/** Migrations make first tables, and what is done to these has nothing to do with which one is read. */
const declares = /\.(row|projection)\.ts$|^libs\/testing\//;

const placesIn = ({ path, lines }: Pick<Source, 'path' | 'lines'>): string[] =>
  lines.flatMap((line, index) => (plain.test(line) ? [`${path}:${index + 1}`] : []));

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
  });
});
