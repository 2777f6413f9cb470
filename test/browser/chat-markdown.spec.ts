/**
 * The agent's text is rendered, however deeply its Markdown nests. Runs in a process of its own, because an overflow would crash the page.
 */
import { build } from 'esbuild';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const page = join(__dirname, '..', '..', 'examples', 'chat', 'page');

/** Renders each text of its input as the page does. */
const renders = `
  import { createElement } from 'react';
  import { renderToStaticMarkup } from 'react-dom/server';
  import { readFileSync } from 'node:fs';
  import { Markdown } from './markdown.jsx';
  const texts = JSON.parse(readFileSync(0, 'utf8'));
  console.log(JSON.stringify(texts.map((text) => renderToStaticMarkup(createElement(Markdown, { text })))));
`;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-chat-markdown-'));
  await build({
    stdin: { contents: renders, resolveDir: page, loader: 'jsx' },
    outfile: join(folder, 'renders.cjs'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    jsx: 'automatic',
  });
});

afterAll(() => rm(folder, { recursive: true, force: true }));

function rendered(texts: readonly string[]): readonly string[] {
  const { stdout, stderr } = spawnSync(process.execPath, [join(folder, 'renders.cjs')], {
    input: JSON.stringify(texts),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (stdout === '') throw new Error(stderr);
  // Reason for the assertion: the program above prints it.
  return JSON.parse(stdout) as string[];
}

const lines = (count: number, line: (level: number) => string): string =>
  Array.from({ length: count }, (_, level) => line(level)).join('\n');
const deep: Readonly<Record<string, string>> = {
  'quotes without a space': `${'>'.repeat(5_000)} deep`,
  quotes: `${'> '.repeat(5_000)}deep`,
  'lists on a line': `${'- '.repeat(5_000)}deep`,
  'numbers on a line': `${'1. '.repeat(5_000)}deep`,
  'quotes and lists': `${'> - '.repeat(2_500)}deep`,
  'lists line by line': lines(600, (level) => `${'  '.repeat(level)}- deep`),
  'tabs line by line': lines(600, (level) => `${'\t'.repeat(level)}- deep`),
  'quotes line by line': lines(600, (level) => `${'>'.repeat(level)} deep`),
  'strong emphasis': `${'*'.repeat(10_000)}deep${'*'.repeat(10_000)}`,
  'emphasis in emphasis': `${'*a '.repeat(2_500)}deep${' a*'.repeat(2_500)}`,
  'emphasis over lines': `${'*a\n'.repeat(2_500)}deep${'\na*'.repeat(2_500)}`,
  strikes: `${'~~a '.repeat(2_500)}deep${' a~~'.repeat(2_500)}`,
  'open links': `${'[deep]('.repeat(5_000)}`,
  pictures: `${'!['.repeat(5_000)}deep${'](x)'.repeat(5_000)}`,
  'a list in a deep quote': `${'> '.repeat(31)}${lines(200, (level) => `${'  '.repeat(level)}- deep`)}`,
};

it('a text that nests too deep is shown as it was written', () => {
  const shown = rendered(Object.values(deep));
  const other = Object.keys(deep).filter((_, at) => !shown[at]?.includes('deep'));
  expect(other).toEqual([]);
  expect(shown[0]).toBe(`<p class="text">${'&gt;'.repeat(5_000)} deep</p>`);
});

it('what people write is Markdown', () => {
  const texts = [
    '> > a quote in a quote',
    lines(10, (level) => `${'  '.repeat(level)}- an item`),
    `${'-'.repeat(300)}\n\n${'*'.repeat(150)}\n\nafter rules`,
    `| ${'a | '.repeat(40)}\n| ${'- | '.repeat(40)}\n| ${'**b** | '.repeat(40)}`,
    lines(500, (level) => `- **item ${level}** with *words* and [a link](https://example.com/)\n`),
  ];
  expect(rendered(texts).map((html) => /<(blockquote|ul|hr|table)/.exec(html)?.[1])).toEqual([
    'blockquote',
    'ul',
    'hr',
    'table',
    'ul',
  ]);
});
