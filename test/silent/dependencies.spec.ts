/** Which suite puts silence in place of what: a new dependency that has none is found here. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const repository = join(__dirname, '..', '..');

/** Everything outside that the product asks, by the variable that says where it is, and the specs in which it is silent. */
const suites: Readonly<Record<string, readonly string[]>> = {
  DATABASE_URL: ['test/silent/stores.spec.ts'],
  EVENTSTORE_URL: ['test/silent/stores.spec.ts'],
  // Of the embedded event store, whose DATABASE_URL names the PostgreSQL behind it.
  EVENT_STORE_LISTEN: ['libs/stores/event-store-server/test/silent-storage.spec.ts', 'test/silent/stores.spec.ts'],
  OIDC_ISSUER: ['test/silent/issuer.spec.ts'],
  OIDC_JWKS_URI: ['test/silent/issuer.spec.ts'],
  OPERATOR_ISSUER: ['test/silent/issuer.spec.ts'],
  // Servers over HTTP, those that are child processes, and the issuers of tokens for them.
  MCP_SERVERS: [
    'test/silent/providers.spec.ts',
    'test/silent/mcp-stdio.spec.ts',
    'libs/product/engine/test/mcp-tokens.spec.ts',
  ],
  MODEL_BASE_URL: ['test/silent/providers.spec.ts'],
  NEAR_RPC_URL: ['test/silent/providers.spec.ts'],
  ONE_CLICK_URL: ['test/silent/providers.spec.ts'],
  SOLVER_RELAY_URL: ['test/silent/providers.spec.ts', 'test/silent/submissions.spec.ts'],
  S3_ENDPOINT: ['test/silent/providers.spec.ts'],
  OTEL_EXPORTER_OTLP_ENDPOINT: ['test/silent/providers.spec.ts', 'test/silent/stores.spec.ts'],
};

/** Named as a place is, and none that the product asks: its own address, as documents and the command line know it, and leave for clear text. */
const noDependency = new Set(['PUBLIC_URL', 'PARLEY_URL', 'ALLOW_INSECURE_ISSUER']);

/** The variables that say where something outside is. */
function placesIn(names: readonly string[]): string[] {
  return names.filter((name) => /_(URL|URI|ENDPOINT|ISSUER|SERVERS|ADDRESS)$/.test(name) && !noDependency.has(name));
}

it('every dependency that configuration names has its suite', () => {
  // The page is written from configuration, and held equal to it by configuration-table.spec.ts.
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
