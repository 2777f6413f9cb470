import { generateKeyPairSync } from 'node:crypto';
import { messageOf, production } from '../test/environments';
import { configurationWarnings, readConfiguration, variables } from './configuration';

describe('production', () => {
  const mcp = (url: string) => JSON.stringify([{ name: 'files', consent: 'ask', transport: { type: 'http', url } }]);
  const model = {
    MODEL_PROVIDER: 'openai-compatible',
    MODEL_NAME: 'm',
    MODEL_PRICES: '{"m":{"inputUsdPerMillion":"1","outputUsdPerMillion":"1"}}',
  };
  /** The settings with which a server over HTTP verifies for whose user a call is. */
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const context = {
    CONTEXT_SIGNING_KEYS: JSON.stringify(privateKey.export({ format: 'jwk' })),
    PUBLIC_URL: 'https://agents.example',
  };
  const clear: [allowance: string, variable: string, value: string][] = [
    ['ALLOW_INSECURE_ISSUER', 'OIDC_ISSUER', 'http://id.example'],
    ['ALLOW_INSECURE_ISSUER', 'OIDC_ISSUER', 'https://id.example, http://other.example'],
    ['ALLOW_INSECURE_ISSUER', 'OIDC_JWKS_URI', 'http://id.example/keys'],
    ['ALLOW_INSECURE_ISSUER', 'OPERATOR_ISSUER', 'http://staff.example'],
    ['ALLOW_INSECURE_STORES', 'DATABASE_URL', 'postgres://parley:hunter2@db:5432/parley'],
    ['ALLOW_INSECURE_STORES', 'DATABASE_URL', 'postgres://db/parley?sslmode=disable'],
    ['ALLOW_INSECURE_STORES', 'DATABASE_URL', 'postgres://db/parley?sslmode=no-verify'],
    ['ALLOW_INSECURE_STORES', 'DATABASE_URL', 'postgres://db/parley?sslmode=require&uselibpqcompat=true'],
    ['ALLOW_INSECURE_STORES', 'DATABASE_URL', 'postgres://localhost/parley?host=db'],
    ['ALLOW_INSECURE_STORES', 'EVENTSTORE_URL', 'esdb://store:2113?tls=false'],
    ['ALLOW_INSECURE_STORES', 'EVENTSTORE_URL', 'esdb://admin:changeit@store:2113?TLS=False'],
    ['ALLOW_INSECURE_STORES', 'EVENTSTORE_URL', 'esdb+discover://store:2113?tlsVerifyCert=false'],
    ['ALLOW_INSECURE_STORES', 'EVENTSTORE_URL', 'esdb://127.0.0.1:2113,store:2113?tls=false'],
    ['ALLOW_INSECURE_PROVIDERS', 'MODEL_BASE_URL', 'http://model/v1'],
    ['ALLOW_INSECURE_PROVIDERS', 'S3_ENDPOINT', 'http://minio:9000'],
    ['ALLOW_INSECURE_PROVIDERS', 'NEAR_RPC_URL', 'http://127.0.0.1.near.example'],
    ['ALLOW_INSECURE_PROVIDERS', 'ONE_CLICK_URL', 'http://10.0.0.7'],
    ['ALLOW_INSECURE_PROVIDERS', 'SOLVER_RELAY_URL', 'http://relay/rpc'],
    ['ALLOW_INSECURE_PROVIDERS', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'http://collector:4318'],
    ['ALLOW_INSECURE_PROVIDERS', 'MCP_SERVERS', mcp('http://tools/mcp')],
  ];
  it.each(clear)('without %s refuses %s %s', (allowance, variable, value) => {
    const environment = { ...production, ...model, ...context, MODEL_BASE_URL: 'https://model/v1', [variable]: value };
    const lines = messageOf(environment).split('\n').slice(1);
    expect(lines).toEqual([expect.stringMatching(new RegExp(`^  ${variable}: .*\\(or set ${allowance}=true\\)$`))]);
    expect(lines[0]).not.toContain('hunter2');
    const allowed = { ...environment, [allowance]: 'true' };
    const told = configurationWarnings(allowed, readConfiguration(allowed));
    expect(told).toEqual([`${allowance}=true: ${variable} is reached in a way that others can read and alter`]);
    expect(readConfiguration({ ...environment, PARLEY_MODE: 'sandbox' }).env).toMatchObject({ PARLEY_MODE: 'sandbox' });
  });

  it('knows every variable that takes http://', () => {
    const takesHttp = Object.keys(variables).filter((name) =>
      messageOf({ PORT: 'wrong', [name]: 'http://a b' }).includes(`${name}: must begin with http://`),
    );
    // Nothing is sent to PUBLIC_URL: documents name it. PARLEY_URL belongs to the command line, which sends no token in clear text.
    const known = new Set(['PUBLIC_URL', 'PARLEY_URL', ...clear.map(([, variable]) => variable)]);
    expect(takesHttp.length).toBeGreaterThan(4);
    expect(takesHttp.filter((name) => !known.has(name))).toEqual([]);
  });

  it.each([
    ['OIDC_ISSUER', 'http://127.0.0.1:9000/realm'],
    ['DATABASE_URL', 'postgres://parley@localhost:5432/parley?host=%2Frun%2Fpostgresql'],
    ['DATABASE_URL', 'postgres://parley@[::1]/parley'],
    ['DATABASE_URL', 'postgres://db/parley?sslmode=verify-full'],
    ['DATABASE_URL', 'postgres://db/parley?sslmode=require'],
    ['EVENTSTORE_URL', 'esdb://store:2113'],
    ['EVENTSTORE_URL', 'esdb+discover://a,b?tls=true'],
    ['EVENTSTORE_URL', 'esdb://[::1]:2113?tls=false'],
    ['EVENTSTORE_URL', 'unix:/run/events.sock'],
    ['S3_ENDPOINT', 'http://localhost:9000'],
    ['MCP_SERVERS', mcp('http://127.0.0.1:1/mcp')],
  ])('takes %s %s', (variable, value) => {
    const environment = { ...production, ...context, [variable]: value };
    expect(configurationWarnings(environment, readConfiguration(environment))).toEqual([]);
  });
});

it('contents in traces are a warning at every start, as soon as there is a collector', () => {
  const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
  const warned = (environment: NodeJS.ProcessEnv) =>
    configurationWarnings(environment, readConfiguration(environment)).filter((line) => line.includes('TRACE_CONTENT'));
  expect(warned({ ...collector, TRACE_CONTENT: 'yes' })).toHaveLength(1);
  expect([warned(collector), warned({ TRACE_CONTENT: 'yes' })]).toEqual([[], []]);
});
