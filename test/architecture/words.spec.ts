/** Comments are in plain present-day English: the words that a newcomer stumbled over do not come back. */
import { filesUnder, readSource } from './sources';
import { dialectIn } from './words';

/** Files that may use a word, each for a reason. */
const exceptions: readonly (readonly [path: string, word: string, reason: string])[] = [];
const exceptionsMax = 40;

const isAllowed = (place: string): boolean =>
  exceptions.some(([path, word]) => place.startsWith(`${path}:`) && place.endsWith(` ${word}`));

it('no comment is in the dialect', () => {
  const sources = filesUnder('apps', 'examples', 'libs', 'scripts', 'test')
    .filter((path) => /\.(ts|mjs|cjs)$/.test(path) && !path.startsWith('test/architecture/words'))
    .map(readSource);
  expect(sources.flatMap(dialectIn).filter((place) => !isAllowed(place))).toEqual([]);
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
