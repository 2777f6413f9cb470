/** Whatever stands in for somebody else's product says which one behaves so, and where that was seen. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesUnder, repository } from './sources';

const doubles = [
  'test/client/cutting-proxy.ts',
  'test/client/scripted-service.ts',
  'test/deployment/shipped-proxy.ts',
  'test/http/issued-tokens.ts',
  'test/http/loopback-issuer.ts',
  'test/mcp/loopback-mcp.ts',
  'test/mcp/stdio-server.cjs',
  'test/mcp/tool-server.ts',
  'test/models/anthropic-messages.ts',
  'test/models/chat-completions.ts',
  'test/models/loopback-models.ts',
  'test/models/part-refusals.ts',
  'test/models/prompt-cache.ts',
  'test/models/refusals.ts',
  'test/observability/otlp-receiver.ts',
  'test/providers/near-chain.ts',
  'test/providers/near-loopback.ts',
  'test/providers/near-signatures.ts',
  'test/support/electing-store.ts',
  'test/support/pgbouncer.ts',
  'test/support/postgres-proxy.ts',
  'test/support/silent-socket.ts',
  'test/support/strict-s3.ts',
];

/** They listen as well, and stand for nobody else's product: they pass bytes on, look for free ports, or say what one test tells them. */
const others = [
  'libs/near-intents/test/answering.ts',
  'test/browser/recording-proxy.ts',
  'test/support/deployment-process.ts',
  'test/support/embedded-stores.ts',
  'test/surface/losing-proxy.ts',
];

const textOf = (path: string): string => readFileSync(join(repository, path), 'utf8');
const namesItsSource = (text: string): boolean => /^\s*(\*|\/\/) Source: \S/m.test(text);

it.each(doubles)('%s names its source', (path) => {
  expect(namesItsSource(textOf(path))).toBe(true);
});

it('no double is left out of the list', () => {
  const listening = filesUnder('test', 'libs').filter((path) => {
    const isOfTests = path.startsWith('test/') || /^libs\/[^/]+\/test\//.test(path);
    return isOfTests && /\.(ts|cjs)$/.test(path) && !path.endsWith('.spec.ts') && /\bcreateServer\(/.test(textOf(path));
  });
  expect(listening.filter((path) => !doubles.includes(path) && !others.includes(path))).toEqual([]);
  expect(listening.length).toBeGreaterThan(others.length);
});

it('a text without a source is found', () => {
  expect(namesItsSource('/** A server that is polite. */')).toBe(false);
});
