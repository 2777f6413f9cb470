/** Every double of an external product names the product that behaves so, and where that was seen. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { filesUnder, repository } from './sources';

/** Parts shared by doubles, which refuse nothing themselves. */
const parts = [
  'libs/testing/src/mcp/stdio-program.ts',
  'libs/testing/src/models/wire-format.ts',
  'libs/testing/src/near/near-books.ts',
];

const folders = ['identity', 'mcp', 'models', 'near', 'objects', 'observability', 'proxies', 'stores', 'webhooks'];

const doubles = filesUnder(...folders.map((folder) => `libs/testing/src/${folder}`)).filter(
  (path) => /\.(ts|cjs)$/.test(path) && basename(path) !== 'index.ts' && !parts.includes(path),
);

/** Servers for tests that imitate no external product: the real ones, those in Parley's place, proxies, and free ports. */
const others = [
  'libs/adapters/near-intents/test/answering.ts',
  'libs/testing/src/event-store/embedded-stores.ts',
  'libs/testing/src/impolite/impolite-server.ts',
  'libs/testing/src/processes/free-ports.ts',
  'test/ai-sdk/partner.ts',
  'test/browser/recording-proxy.ts',
  'test/client/ag-ui-partner.ts',
  'test/client/scripted-service.ts',
  'test/runtimes/small-service.ts',
  'test/surface/losing-proxy.ts',
];

const textOf = (path: string): string => readFileSync(join(repository, path), 'utf8');
const namesItsSource = (text: string): boolean => /^\s*(\*|\/\/) Source: \S/m.test(text);

it.each(doubles)('%s names its source', (path) => {
  expect(namesItsSource(textOf(path))).toBe(true);
});

it.each(doubles)('%s stands in the table of the library', (path) => {
  expect(textOf('libs/testing/README.md')).toContain(`\`${basename(path)}\``);
});

it('no double lies elsewhere', () => {
  const listening = filesUnder('test', 'libs').filter((path) => {
    const isOfTests = /^test\/|^libs\/testing\/src\/|^libs\/.+\/test\//.test(path);
    return (
      isOfTests &&
      !doubles.includes(path) &&
      /\.(ts|cjs)$/.test(path) &&
      !path.endsWith('.spec.ts') &&
      /\bcreateServer\(/.test(textOf(path))
    );
  });
  expect(listening.filter((path) => !others.includes(path))).toEqual([]);
  expect(doubles.length).toBeGreaterThan(15);
  expect(parts.filter((path) => namesItsSource(textOf(path)))).toEqual([]);
});

it('a text without a source is found', () => {
  expect(namesItsSource('/** A server that is polite. */')).toBe(false);
});
