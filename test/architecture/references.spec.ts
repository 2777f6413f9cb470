import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brokenLinks, brokenReferences, commandsOf } from './references';
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
  });
});
