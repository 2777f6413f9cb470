/** Comments, pages and messages are in plain present-day English: the words that a newcomer stumbled over do not come back. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesUnder, readSource, repository } from './sources';
import { dialectIn, dialectInMessages, dialectOnPage } from './words';

/** Files that may use a word, each for a reason. */
const exceptions: readonly (readonly [path: string, words: string, reason: string])[] = [
  [
    'CONTRIBUTING.md',
    'told, looked, stands, comes to, came to, beside, owed, rests, on its way, under way, to the letter, whom',
    'its list of the words',
  ],
  ...[
    'docs/guides/approvals.md',
    'examples/chat/README.md',
    'libs/product/automations/src/authority/change-words.ts',
    'libs/product/automations/src/authority/rule-consent.ts',
    'libs/product/consent/src/contract-words.ts',
    'libs/product/consent/src/terms.ts',
  ].map((path) => [path, 'whom', 'names of terms, which are stored with each approval'] as const),
  ...[
    'libs/product/automations/src/api/automation-examples.ts',
    'libs/product/automations/src/definition/behavior.ts',
    'libs/product/automations/src/status/hindrances.ts',
    'libs/product/operators/src/automations/automations.schema.ts',
  ].map((path) => [path, 'rests, under way', 'behaviour as users have approved it'] as const),
  ['libs/adapters/rules-model/src/money-rules.ts', 'on its way, on their way', 'an answer in a chat'],
  ['libs/product/conversations/src/run/run.events.ts', 'on its way', 'an answer in a chat'],
];
const exceptionsMax = 40;

const isAllowed = (place: string): boolean =>
  exceptions.some(
    ([path, words]) => place.startsWith(`${path}:`) && words.split(', ').some((word) => place.endsWith(` ${word}`)),
  );

it('no comment is in the dialect', () => {
  const sources = filesUnder('apps', 'examples', 'libs', 'scripts', 'test')
    .filter((path) => /\.(ts|mjs|cjs)$/.test(path) && !path.startsWith('test/architecture/words'))
    .map(readSource);
  expect(sources.flatMap(dialectIn).filter((place) => !isAllowed(place))).toEqual([]);
});

it('no page is in the dialect', () => {
  const pages = filesUnder('.')
    .filter((path) => path.endsWith('.md') && path !== 'CHANGELOG.md')
    .map((path) => ({ path, lines: readFileSync(join(repository, path), 'utf8').split('\n') }));
  expect(pages.length).toBeGreaterThan(50);
  expect(pages.flatMap(dialectOnPage).filter((place) => !isAllowed(place))).toEqual([]);
});

it('no message is in the dialect', () => {
  const sources = filesUnder('apps', 'examples', 'libs', 'scripts')
    .filter((path) => /(?<!\.spec)\.(ts|mjs|cjs)$/.test(path))
    .map(readSource);
  expect(sources.flatMap(dialectInMessages).filter((place) => !isAllowed(place))).toEqual([]);
});

it('has few exceptions', () => expect(exceptions.length).toBeLessThan(exceptionsMax));

describe('the check itself', () => {
  const places = (...lines: string[]) => dialectIn({ path: 'a.ts', lines });

  it('finds an opening in each form of comment, and after a tag', () => {
    expect(places('/** What it holds. */')).toEqual(['a.ts:1 What']);
    expect(places('/**', ' * Of each, the last.', ' */')).toEqual(['a.ts:2 Of']);
    expect(places('  // Who asked.')).toEqual(['a.ts:1 Who']);
    expect(places('const a = 1; // Whose it is')).toEqual(['a.ts:1 Whose']);
    expect(places('/** Reads. @param name What it is called */')).toEqual(['a.ts:1 What']);
  });

  it('finds words within a comment, and not in code', () => {
    expect(places('/**', ' * The next one', ' * is told of it.', ' */')).toEqual(['a.ts:3 told']);
    expect(places("const told = 'it comes to';", '// It comes to 5.')).toEqual(['a.ts:2 comes to']);
  });

  it('takes what goes on for no opening', () => {
    expect(places('// A comment that ends with', '// What begins here.')).toEqual([]);
    expect(places('/**', ' * A comment that ends with', ' * What begins here.', ' */')).toEqual([]);
    expect(places("const url = 'https://What.example';")).toEqual([]);
  });
});
