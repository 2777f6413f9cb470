/** The suites that make each dependency silent. A new dependency without a suite fails here. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const repository = join(__dirname, '..', '..');

/** Every external dependency, by the variable that contains its address, with the specs in which it is silent. */
const suites: Readonly<Record<string, readonly string[]>> = {
  DATABASE_URL: ['test/silent/stores.spec.ts'],
  EVENTSTORE_URL: ['test/silent/stores.spec.ts'],
  // A variable of the embedded event store; its DATABASE_URL is the address of the PostgreSQL behind it.
  EVENT_STORE_LISTEN: ['libs/stores/event-store-server/test/silent-storage.spec.ts', 'test/silent/stores.spec.ts'],
  OIDC_ISSUER: ['test/silent/issuer.spec.ts'],
  OIDC_JWKS_URI: ['test/silent/issuer.spec.ts'],
  OPERATOR_ISSUER: ['test/silent/issuer.spec.ts'],
  // MCP servers over HTTP, those that are child processes, and the issuers of their tokens.
  MCP_SERVERS: [
    'test/silent/providers.spec.ts',
    'test/silent/mcp-stdio.spec.ts',
    'libs/product/engine/test/mcp/mcp-tokens.spec.ts',
  ],
  MODEL_BASE_URL: ['test/silent/providers.spec.ts'],
  NEAR_RPC_URL: ['test/silent/providers.spec.ts'],
  ONE_CLICK_URL: ['test/silent/providers.spec.ts'],
  SOLVER_RELAY_URL: ['test/silent/providers.spec.ts', 'test/silent/submissions.spec.ts'],
  S3_ENDPOINT: ['test/silent/providers.spec.ts'],
  OTEL_EXPORTER_OTLP_ENDPOINT: ['test/silent/providers.spec.ts', 'test/silent/stores.spec.ts'],
};

/**
 * Variables named like addresses that are not dependencies: the service's own address, for documents and for the command line, and the
 * permission for clear text.
 */
const noDependency = new Set(['PUBLIC_URL', 'PARLEY_URL', 'ALLOW_INSECURE_ISSUER']);

/** The variables that contain the address of a dependency. */
function placesIn(names: readonly string[]): string[] {
  return names.filter((name) => /_(URL|URI|ENDPOINT|ISSUER|SERVERS|ADDRESS)$/.test(name) && !noDependency.has(name));
}

it('every dependency that configuration names has its suite', () => {
  // The page is generated from configuration, and configuration-table.spec.ts keeps both equal.
  const page = readFileSync(join(repository, 'docs', 'configuration.md'), 'utf8');
  const places = placesIn([...page.matchAll(/^\| `([A-Z0-9_]+)`/gm)].map(([, name = '']) => name));
  expect(places).toContain('SOLVER_RELAY_URL');
  expect(places.filter((name) => suites[name] === undefined)).toEqual([]);
  expect(placesIn(['KEY_SERVICE_URL', 'PUBLIC_URL', 'PORT'])).toEqual(['KEY_SERVICE_URL']);
});

it.each(Object.entries(suites))('%s is silent in its suites', (name, paths) => {
  for (const path of paths) {
    expect(existsSync(join(repository, path))).toBe(true);
    const text = readFileSync(join(repository, path), 'utf8');
    expect(text).toMatch(/SilentSocket|isSilent|'silent'|proxy\.silence/);
    if (name !== 'EVENT_STORE_LISTEN') expect(text).toContain(name);
  }
});
