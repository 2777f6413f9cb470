import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brokenLinks, brokenReferences, commandsOf, missingFiles, missingNames, missingParts } from './references';
import { filesUnder, repository } from './sources';

const read = (path: string): string => readFileSync(join(repository, path), 'utf8');
const texts = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...filesUnder('apps', 'libs', 'test', 'scripts', 'docs', 'docker', 'examples'),
]
  .filter((path) => /(\.(ts|mjs|cjs|js|md|yaml|conf)|Dockerfile)$/.test(path))
  .filter((path) => !path.startsWith('test/architecture/references'));

describe('references', () => {
  it('lead to pages and terms of this repository', () => {
    const broken = texts.flatMap((path) => brokenReferences(read(path)).map((reference) => `${path}: ${reference}`));
    expect(broken).toEqual([]);
  });

  it('links of pages lead to files of this repository', () => {
    const pages = texts.filter((path) => path.endsWith('.md'));
    expect(pages.flatMap((path) => brokenLinks(path, read(path)).map((link) => `${path}: ${link}`))).toEqual([]);
  });

  it('names of code files on pages are those of files', () => {
    // Programs of partners are in the guides, and names of former files in the changes.
    const pages = texts.filter((path) => path.endsWith('.md') && !/^(docs\/guides\/|CHANGELOG)/.test(path));
    expect(pages.flatMap((path) => missingFiles(read(path)).map((name) => `${path}: ${name}`))).toEqual([]);
  });

  it('names of classes on pages are those of the code', () => {
    const code = texts.filter((path) => path.endsWith('.ts')).map(read);
    const words = new Set(code.flatMap((text) => text.match(/\b[A-Z]\w+/g) ?? []));
    const pages = texts.filter((path) =>
      /^(docs\/(adr|decisions)\/|docs\/architecture|CONTRIBUTING|.*README)/.test(path),
    );
    const ours = pages.filter((path) => path.endsWith('.md'));
    expect(ours.flatMap((path) => missingNames(read(path), words).map((name) => `${path}: ${name}`))).toEqual([]);
    expect(missingNames('`FoldedStates` `LookAtNothing` `Allow`', new Set(['FoldedStates']))).toEqual([
      'LookAtNothing',
    ]);
  });

  it('tables of files in the README of a room name its files', () => {
    const pages = texts.filter((path) => /^(libs|apps|test)\/.*README\.md$/.test(path));
    const missing = pages.flatMap((path) => missingParts(dirname(path), read(path)).map((name) => `${path}: ${name}`));
    expect(missing).toEqual([]);
  });

  it('every suite of test/crash is in its README', () => {
    const suites = filesUnder('test/crash').flatMap((path) => /\/([\w-]+)\.spec\.ts$/.exec(path)?.[1] ?? []);
    const readme = read('test/crash/README.md');
    const named = [...readme.matchAll(/^\| `([\w*-]+)\.spec\.ts`/gm)].map(
      ([, name = '']) => new RegExp(`^${name.replace('*', '.*')}$`),
    );
    expect(suites.filter((suite) => !named.some((name) => name.test(suite)))).toEqual([]);
  });

  it('every command of a decider is in the README of its room', () => {
    const deciders = filesUnder('libs').filter((path) => path.endsWith('.decider.ts'));
    const missing = deciders.flatMap((path) => {
      const page = `${path.slice(0, path.indexOf('/src/'))}/README.md`;
      const readme = read(page);
      return commandsOf(read(path)).flatMap((command) =>
        new RegExp(`\\b${command}\\b`).test(readme) ? [] : `${page}: ${command}`,
      );
    });
    expect(missing).toEqual([]);
    expect(deciders.flatMap((path) => commandsOf(read(path))).length).toBeGreaterThan(50);
    expect(commandsOf("{ readonly type: 'MintKey'; } | { readonly type: 'Pause' | 'Resume' }")).toEqual([
      'MintKey',
      'Pause',
      'Resume',
    ]);
  });

  it('are found where they lead nowhere', () => {
    expect(brokenReferences('(docs/decisions/money.md)')).toEqual([]);
    expect(brokenReferences('(docs/decisions/money.md, "Settlement")')).toEqual([]);
    expect(brokenReferences('(docs/decisions/money.md,\n * "Settlement")')).toEqual([]);
    expect(brokenReferences('(docs/decisions/money.md, "Unsettled")')).toHaveLength(1);
    expect(brokenReferences('(docs/decisions/gold.md)')).toHaveLength(1);
    expect(brokenReferences('(specification, "Errors", rule 1)')).toEqual([]);
    expect(brokenReferences('(specification, "Mistakes")')).toHaveLength(1);
    expect(brokenReferences('(decisions.md, section 3)')).toHaveLength(1);
    expect(
      brokenLinks('docs/growing.md', '[one](production.md) [two](nowhere.md) [three](https://example.com)'),
    ).toEqual(['nowhere.md']);
    expect(
      brokenLinks('docs/growing.md', '[one](production.md#nothing) [two](#to-a-cluster)\n## To a cluster'),
    ).toEqual(['production.md#nothing']);
    expect(missingFiles('`run/next.ts` `next.ts` `*.tool.ts` `<name>.tool.ts` `runs/next.ts` `gone.mjs`')).toEqual([
      'runs/next.ts',
      'gone.mjs',
    ]);
    const table = '| file | purpose |\n| --- | --- |\n| `run/next`, `gone`, `models/` | `away` |\n';
    expect(missingParts('libs/product/engine', table)).toEqual(['gone']);
  });
});
