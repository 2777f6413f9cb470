import { unknownVariables } from '@app/runtime';
import { variables } from './configuration';

const known = Object.keys(variables);
const told = (...names: string[]): string[] =>
  unknownVariables(Object.fromEntries(names.map((name) => [name, 'hunter2'])), known);

describe('unknownVariables', () => {
  it.each([
    ['PARLEY_DATADIR', 'PARLEY_DATA_DIR'],
    ['OIDC_ISSUER_URL', 'OIDC_ISSUER'],
    ['MODEL_KEY', 'MODEL_API_KEY'],
    ['MCP_SERVER', 'MCP_SERVERS'],
    ['S3_BUCKET_NAME', 'S3_BUCKET'],
    ['RATE_LIMIT_USERS_PER_MINUTE', 'RATE_LIMIT_USER_PER_MINUTE'],
    ['BUDGET_DAY_CENT', 'BUDGET_DAY_CENTS'],
    ['EVENT_STORE_URL', 'EVENTSTORE_URL'],
    ['DATABSE_URL', 'DATABASE_URL'],
    ['ALLOW_INSECURE_STORE', 'ALLOW_INSECURE_STORES'],
  ])('tells of %s, with the nearest name', (name, nearest) => {
    expect(told(name)).toEqual([`${name} is no variable of Parley, and changes nothing; did you mean ${nearest}?`]);
  });

  it('is silent about our own names, and about what is no concern of ours', () => {
    expect(told(...known)).toEqual([]);
    expect(told('PATH', 'HOME', 'HOSTNAME', 'PORTS', 'POSTGRES_PASSWORD', 'NODE_OPTIONS', 'npm_config_cache')).toEqual(
      [],
    );
    expect(told('REQUESTS_CA_BUNDLE')).toEqual([]);
    expect(told('OTEL_TRACES_SAMPLER', 'OTEL_EXPORTER_OTLP_HEADERS')).toEqual([]);
    expect(told('PARLEY_SERVICE_HOST', 'PARLEY_PORT', 'DATABASE_PORT_5432_TCP_ADDR', 'WEB_SERVICE_PORT_HTTP')).toEqual(
      [],
    );
  });
});
