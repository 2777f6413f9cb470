import ts from 'typescript';
import { filesUnder, isSpec, nodesOf, placeOf, readSource, type Source } from './sources';

/** The one file that makes sentences of ours of anything but their literals. */
const maker = 'libs/platform/kernel/src/words.ts';

/** Where a source makes `Words` of a text by its own word: by an assertion, a predicate, or a type argument of a call. */
function claims(source: Source): string[] {
  return [...nodesOf(source.tree)].flatMap((node) => {
    if (!ts.isTypeReferenceNode(node) || node.typeName.getText(source.tree) !== 'Words') return [];
    const { parent } = node;
    const isClaim =
      ts.isAsExpression(parent) ||
      ts.isTypePredicateNode(parent) ||
      // The stored member of an event is declared as what was appended.
      (ts.isCallExpression(parent) && parent.expression.getText(source.tree) !== 'internal');
    return isClaim ? [placeOf(source, node)] : [];
  });
}

/** Where the tag is called as a function: what it gets then is no literal. */
function untagged(source: Source): string[] {
  return [...nodesOf(source.tree)].flatMap((node) =>
    ts.isCallExpression(node) && node.expression.getText(source.tree) === 'words' ? [placeOf(source, node)] : [],
  );
}

it('sentences of ours are made in one file, of literals and quotations', () => {
  const files = filesUnder('libs', 'apps').filter((path) => path.endsWith('.ts') && path !== maker && !isSpec(path));
  const sources = files
    .map(readSource)
    .filter(({ tree }) => tree.text.includes('Words') || tree.text.includes('words'));
  expect(sources.length).toBeGreaterThan(20);
  const kernels = sources.filter(({ tree }) => /\bwords\b[^;]*from '@app\/kernel'/.test(tree.text));
  expect([...sources.flatMap(claims), ...kernels.flatMap(untagged)]).toEqual([]);
});
