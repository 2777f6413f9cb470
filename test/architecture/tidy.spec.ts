import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { filesUnder, isSpec, libraries, parseSource, readSource, repository, wordsOf } from './sources';
import { longFunctions, looseExports, median, unreasonedHoles, wideLines } from './tidy';

const fileLinesMax = 250;
/** Applies to the product; functions of tests hold whole stories, and only their file's length is limited. */
const functionLinesMax = 40;
const medianLinesMax = 130;
/** A median of fewer files means nothing. */
const medianFilesMin = 20;
const readmeLinesMin = 20;
/** A longer line of prose is neither read nor compared. Lines of tables and of code may be longer. */
const proseWidthMax = 200;
/** Pages with lines that the product writes, or that repeat another page exactly. */
const writtenPages =
  /^(CHANGELOG|docs\/(specification|configuration|metrics|guides\/errors))\.md$|^libs\/clients\/client\/docs\//;
/** Limits of the README, which a newcomer reads at once. */
const firstPage = { lines: 150, lineLength: 120 };
const bannedNameWords = /^(manager|helper|util)s?$/;
// Split, so that this file does not match itself.
const promises = new RegExp(`\\b(${['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X', 'HA' + 'CK'].join('|')})\\b`);
const focused = new RegExp('\\b(it|test|describe)\\.(on' + 'ly|sk' + 'ip|to' + 'do)\\b|\\b[xf](it|describe|test)\\(');

const looksUp = (line: string): boolean => /\bModuleRef\b/.test(line);

const sources = filesUnder('apps', 'libs', 'test', 'scripts')
  .filter((path) => /\.(ts|mjs|cjs)$/.test(path))
  .map(readSource);
const product = sources.filter(({ path }) => /^(apps|libs)\/.*\.ts$/.test(path));
/** The product without doubles, which are test code. */
const code = product.filter(({ path }) => !isSpec(path) && !path.startsWith('libs/testing/'));

const linesMatching = (pattern: RegExp): string[] =>
  sources.flatMap(({ path, lines }) =>
    lines.flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}`] : [])),
  );

describe('tidy', () => {
  it(`files of apps and libs have at most ${fileLinesMax} lines, but for those of tests`, () => {
    const sources = product.filter(({ path }) => !isSpec(path) && !/^libs\/[^/]+\/[^/]+\/test\//.test(path));
    const long = sources.filter(({ lines }) => lines.length > fileLinesMax);
    expect(long.map(({ path, lines }) => `${path} (${lines.length} lines)`)).toEqual([]);
  });

  it(`half of the files have at most ${medianLinesMax} lines`, () => {
    const lengths = code.map(({ lines }) => lines.length);
    expect(lengths.length < medianFilesMin ? 0 : median(lengths)).toBeLessThanOrEqual(medianLinesMax);
  });

  it(`functions have at most ${functionLinesMax} lines`, () => {
    expect(code.flatMap((source) => longFunctions(source, functionLinesMax))).toEqual([]);
  });

  it('every library has an index.ts with named exports only', () => {
    const indexes = libraries().flatMap(entriesOf);
    expect(indexes.filter((path) => !existsSync(join(repository, path)))).toEqual([]);
    expect(indexes.flatMap((path) => looseExports(readSource(path)))).toEqual([]);
  });

  it(`every library with a decider has a README.md of at least ${readmeLinesMin} lines`, () => {
    const slices = libraries().filter((folder) =>
      code.some(({ path }) => path.startsWith(`${folder}/`) && path.endsWith('.decider.ts')),
    );
    const lengths = slices.map((folder) => [folder, readmeLength(folder)] as const);
    expect(lengths.filter(([, lines]) => lines < readmeLinesMin)).toEqual([]);
  });

  it(`the README has at most ${firstPage.lines} lines of at most ${firstPage.lineLength} characters`, () => {
    const lines = readFileSync(join(repository, 'README.md'), 'utf8').trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(firstPage.lines);
    expect(lines.filter(({ length }) => length > firstPage.lineLength)).toEqual([]);
  });

  it(`lines of prose have at most ${proseWidthMax} characters`, () => {
    const pages = filesUnder('.').filter((path) => path.endsWith('.md') && !writtenPages.test(path));
    expect(pages.length).toBeGreaterThan(50);
    const linesOf = (path: string) => readFileSync(join(repository, path), 'utf8').split('\n');
    const wide = (path: string) => wideLines(linesOf(path), proseWidthMax).map((line) => `${path}:${line}`);
    expect(pages.flatMap(wide)).toEqual([]);
  });

  it('nothing promises later work', () => expect(linesMatching(promises)).toEqual([]));

  it('no test is focused or left out', () => expect(linesMatching(focused)).toEqual([]));

  it('nothing is looked up in the module graph: what a class needs is injected', () => {
    expect(code.flatMap(({ path, lines }) => (lines.some(looksUp) ? [path] : []))).toEqual([]);
  });

  it('file names say what is in the file', () => {
    const vague = sources.filter(({ path }) => wordsOf(path).some((word) => bannedNameWords.test(word)));
    expect(vague.map(({ path }) => path)).toEqual([]);
  });

  it('every `as`, `!`, `any` and silenced rule gives its reason beside it', () => {
    expect(code.flatMap(unreasonedHoles)).toEqual([]);
  });
});

describe('the tidy test itself', () => {
  const lines = (...text: string[]) => parseSource('planted.ts', text.join('\n'));

  it('finds a long function', () => {
    const long = lines('function f() {', ...Array<string>(60).fill('  g();'), '}');
    expect(longFunctions(long, 60)).toEqual(['planted.ts:1 (62 lines)']);
    expect(longFunctions(long, 62)).toEqual([]);
  });

  it('finds holes without a reason, and takes a reason on the line or above it', () => {
    expect(unreasonedHoles(lines('f(a as B);', 'f(a!);', 'let x: any;', 'f([1] as const);'))).toEqual([
      'planted.ts:1',
      'planted.ts:2',
      'planted.ts:3',
    ]);
    expect(unreasonedHoles(lines('f(a as B); // checked by g', '// filled in the constructor', 'f(a!);'))).toEqual([]);
    const rule = '// eslint-' + 'disable-next-line complexity';
    expect(unreasonedHoles(lines(rule, 'f();'))).toEqual(['planted.ts:1']);
    expect(unreasonedHoles(lines(`${rule} -- one case per event`, 'f();'))).toEqual([]);
  });

  it('finds everything but named exports in an index', () => {
    const index = lines("export { a, type B } from './a';", "export * from './b';", 'export default 1;', 'f();');
    expect(looseExports(index)).toEqual(['planted.ts:2', 'planted.ts:3', 'planted.ts:4']);
  });

  it('finds a class that looks up what it needs', () => {
    const planted = lines('class A {', '  constructor(private readonly modules: ModuleRef) {}', '}');
    expect(planted.lines.map(looksUp)).toEqual([false, true, false]);
  });

  it('finds a wide line of prose, not of a table or of code', () => {
    const wide = 'word '.repeat(10);
    expect(wideLines([wide, `| ${wide} |`, '```', wide, '```', '', `- ${wide}`, 'short'], 20)).toEqual([1, 7]);
  });

  it('knows the median', () => expect(median([9, 1, 5])).toBe(5));
});

/** The entries of a library: its index, or one index per folder for the library of test parts. */
function entriesOf(folder: string): string[] {
  if (folder !== 'libs/testing') return [`${folder}/src/index.ts`];
  return readdirSync(join(repository, folder, 'src')).map((topic) => `${folder}/src/${topic}/index.ts`);
}

function readmeLength(folder: string): number {
  const file = join(repository, folder, 'README.md');
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n').length : 0;
}
