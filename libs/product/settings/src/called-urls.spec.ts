/** Every address of the settings that the service calls is judged as those of webhook endpoints are. */
import { signingKey, verifierKeyText } from '@app/transparency';
import { messageOf } from '../test/environments';
import { variables } from './configuration';

const vkey = verifierKeyText(signingKey('witness', 'witness.example', new Uint8Array(32)));
const mcp = (transport: object) =>
  JSON.stringify([{ name: 'shop', transport: { type: 'http', ...transport }, consent: 'ask' }]);
const account = { clientId: 'parley', clientSecret: 'secret' };
const fallback = { model: 'other', provider: 'openai-compatible' };

/** The value of each variable with a URL. */
const named: Readonly<Record<string, (url: string) => string>> = {
  ...Object.fromEntries(
    [
      'PUBLIC_URL',
      'PARLEY_URL',
      'OIDC_ISSUER',
      'OPERATOR_ISSUER',
      'OIDC_JWKS_URI',
      'MODEL_BASE_URL',
      'S3_ENDPOINT',
    ].map((name) => [name, (url: string) => url]),
  ),
  NEAR_RPC_URL: (url) => url,
  ONE_CLICK_URL: (url) => url,
  SOLVER_RELAY_URL: (url) => url,
  OTEL_EXPORTER_OTLP_ENDPOINT: (url) => url,
  MCP_SERVERS: (url) => mcp({ url }),
  MODEL_FALLBACKS: (url) => JSON.stringify([{ ...fallback, baseUrl: url }]),
  WITNESSES: (url) => `${vkey} ${url}`,
};

const lineOf = (name: string, value: string): string | undefined =>
  messageOf({ PORT: 'wrong', [name]: value })
    .split('\n')
    .find((line) => line.startsWith(`  ${name}: `));

it('each variable that takes any URL of HTTP is named here', () => {
  const taking = Object.keys(variables).filter((name) =>
    lineOf(name, 'http://a b')?.includes('must begin with http://'),
  );
  expect(Object.keys(named)).toEqual(expect.arrayContaining(taking));
});

describe.each(Object.entries(named))('%s', (name, valueOf) => {
  it.each([
    ['https://a..b/', 'empty label'],
    ['http://a../', 'empty label'],
    ['https://.a/', 'empty label'],
    ['https://a./', 'dot at its end'],
    ['https://a。/', 'dot at its end'],
    ['https://a.:8443/x', 'dot at its end'],
    ['https://a:0/', 'port 0'],
    ['https://a\\b/', 'backslash'],
  ])('refuses %s', (url, words) => expect(lineOf(name, valueOf(url))).toContain(words));

  it.each(['https://a.example/', 'http://a.svc.cluster.local./', 'http://[::1]:8080', 'https://127.0.0.1:8443'])(
    'takes %s',
    (url) => expect(lineOf(name, valueOf(url)) ?? '').not.toMatch(/label|dot|port|backslash|credentials/),
  );
});

it('each issuer of a list, and the issuer of tokens for an MCP server, is judged too', () => {
  expect(lineOf('OIDC_ISSUER', 'https://a, https://b./')).toContain('dot at its end');
  const clientCredentials = { ...account, issuer: 'https://a..b' };
  expect(lineOf('MCP_SERVERS', mcp({ url: 'https://a', clientCredentials }))).toContain('at the server shop');
});
