import ts from 'typescript';
import { filesUnder, isSpec, nodesOf, placeOf, readSource, type Source } from './sources';

/** The one file that may make `Words` of anything but literals. */
const maker = 'libs/platform/kernel/src/words/words.ts';

/** Places where a source claims that a text is `Words`: by an assertion, a predicate, or a type argument of a call. */
function claims(source: Source): string[] {
  return [...nodesOf(source.tree)].flatMap((node) => {
    if (!ts.isTypeReferenceNode(node) || node.typeName.getText(source.tree) !== 'Words') return [];
    const { parent } = node;
    const isClaim =
      ts.isAsExpression(parent) ||
      ts.isTypePredicateNode(parent) ||
      // The stored member of an event is declared with the type that was appended.
      (ts.isCallExpression(parent) && parent.expression.getText(source.tree) !== 'internal');
    return isClaim ? [placeOf(source, node)] : [];
  });
}

/** Places where the tag is called as a function, because its argument is then no literal. */
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

/**
 * The members whose sentences people or models read, by file and declaration. Each is of type `Words`, so a plain string does not compile
 * there.
 */
const shown: readonly (readonly [path: string, declaration: string, member: string])[] = [
  ['libs/product/consent/src/terms.ts', 'Term', 'text'],
  ['libs/product/consent/src/terms.ts', 'ConsentWords', 'summary'],
  ['libs/product/engine/src/tool.ts', 'ToolResult', 'error'],
  ['libs/product/engine/src/tool.ts', 'FailedReview', 'error'],
  ['libs/product/engine/src/tool-declaration.ts', 'Declared', 'inputWords'],
  ['libs/product/artifacts/src/reading/artifact-reader.ts', 'ReadText', 'error'],
  ['libs/product/wallets/src/provider/submission.ts', 'OperationFailure', 'text'],
  ['libs/product/automations/src/automation/automation.events.ts', 'OccurrenceEvent', 'reason'],
  ['libs/product/automations/src/automation/automation.commands.ts', 'AdmissionCommand', 'reason'],
  ['libs/product/automations/src/automation/automation.commands.ts', 'RecordMatch', 'tooLate'],
  ['libs/product/automations/src/automation/read-model/automation.row.ts', 'OccurrenceRow', 'reason'],
  ['libs/product/automations/src/status/monitoring.ts', 'Monitored', 'issue'],
  ['libs/product/automations/src/automation/occurrence/input.decider.ts', 'Obstacle', 'words'],
];

/** The types that a declaration gives to the members with that name. */
function typesOf(source: Source, declaration: string, member: string): string[] {
  return [...nodesOf(source.tree)]
    .filter(
      (node) =>
        (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isClassDeclaration(node)) &&
        node.name?.text === declaration,
    )
    .flatMap((node) => [...nodesOf(node)])
    .flatMap((node) =>
      (ts.isPropertySignature(node) || ts.isPropertyDeclaration(node)) && node.name.getText(source.tree) === member
        ? [node.type?.getText(source.tree) ?? 'any']
        : [],
    );
}

it.each(shown)('in %s, the member of %s that is called %s takes no plain string', (path, declaration, member) => {
  const types = typesOf(readSource(path), declaration, member);
  expect(types.length).toBeGreaterThan(0);
  expect(types.filter((type) => !/^Words( \| null)?$/.test(type))).toEqual([]);
});
