import { isJsonObject } from '@app/kernel';
import { bool } from 'envalid';

/** The allowances without which production refuses connections that third parties in between can read or alter. */
export const insecureVariables = {
  WEBHOOK_ALLOW_PRIVATE: bool({
    default: undefined,
    desc: 'Lets webhooks be delivered to addresses that are not of the public internet; unset: in sandbox mode only',
  }),
  ALLOW_INSECURE_ISSUER: bool({
    default: false,
    desc: 'Lets production fetch the keys of an issuer by http:// from another machine; a warning at every start',
  }),
  ALLOW_INSECURE_STORES: bool({
    default: false,
    desc: 'Lets production reach stores on other machines without TLS; a warning at every start',
  }),
  ALLOW_INSECURE_PROVIDERS: bool({
    default: false,
    desc: 'Lets production call models, MCP servers, S3, wallet providers and collectors elsewhere by http://; a warning at every start',
  }),
};

type Values = Readonly<Record<string, unknown>>;
type Allowance = Exclude<keyof typeof insecureVariables, 'WEBHOOK_ALLOW_PRIVATE'>;

interface Insecure {
  readonly variable: string;
  readonly rule: string;
  readonly allowance: Allowance;
}

const byHttps = 'must begin with https:// unless it is on this machine';
const providerUrls = [
  'MODEL_BASE_URL',
  'S3_ENDPOINT',
  'NEAR_RPC_URL',
  'ONE_CLICK_URL',
  'SOLVER_RELAY_URL',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
];

/** The variables of a validated environment that production refuses because they send data in clear text, as `NAME: rule`. */
export function insecureProblems(env: Values): string[] {
  return insecureOf(env)
    .filter(({ allowance }) => env[allowance] !== true)
    .map(({ variable, rule, allowance }) => `${variable}: ${rule} (or set ${allowance}=true)`);
}

/** A line for each variable that production accepts only because of an allowance. */
export function insecureWarnings(env: Values): string[] {
  return insecureOf(env)
    .filter(({ allowance }) => env[allowance] === true)
    .map(
      ({ variable, allowance }) => `${allowance}=true: ${variable} is reached in a way that others can read and alter`,
    );
}

function insecureOf(env: Values): Insecure[] {
  if (env['PARLEY_MODE'] !== 'production') return [];
  const found: Insecure[] = [];
  const check = (allowance: Allowance, variable: string, isInsecure: (text: string) => boolean, rule: string): void => {
    const values = [env[variable]].flat().filter((value) => typeof value === 'string');
    if (values.some(isInsecure)) found.push({ variable, rule, allowance });
  };
  for (const variable of ['OIDC_ISSUER', 'OIDC_JWKS_URI', 'OPERATOR_ISSUER'])
    check('ALLOW_INSECURE_ISSUER', variable, isClearHttp, byHttps);
  const withTls = 'must ask for TLS with sslmode=verify-full unless it is on this machine';
  check('ALLOW_INSECURE_STORES', 'DATABASE_URL', isClearPostgres, withTls);
  const withoutCare = 'must not turn TLS or its certificates off unless it is on this machine';
  check('ALLOW_INSECURE_STORES', 'EVENTSTORE_URL', isClearEventStore, withoutCare);
  for (const variable of providerUrls) check('ALLOW_INSECURE_PROVIDERS', variable, isClearHttp, byHttps);
  if (fallbackUrls(env['MODEL_FALLBACKS']).some(isClearHttp)) {
    const rule = 'each baseUrl must begin with https:// unless it is on this machine';
    found.push({ variable: 'MODEL_FALLBACKS', rule, allowance: 'ALLOW_INSECURE_PROVIDERS' });
  }
  if (serverUrls(env['MCP_SERVERS']).some(isClearHttp)) {
    const rule = 'each url must begin with https:// unless it is on this machine';
    found.push({ variable: 'MCP_SERVERS', rule, allowance: 'ALLOW_INSECURE_PROVIDERS' });
  }
  return found;
}

function isClearHttp(text: string): boolean {
  return !/^https:/i.test(text) && !isOnThisMachine(text);
}

/** The modes in which `pg` requires TLS and verifies the server's identity. */
const verifiedModes = ['verify-full', 'verify-ca', 'require'];

/** `pg` uses the URL's query: `host` replaces the URL's host, and a path is a local socket. */
function isClearPostgres(text: string): boolean {
  const query = queryOf(text);
  const host = query.get('host') ?? hostOf(text);
  if (host.startsWith('/') || isLoopback(host)) return false;
  // In libpq's meaning, `require` trusts any server.
  if (query.get('uselibpqcompat') === 'true') return !['verify-full', 'verify-ca'].includes(query.get('sslmode') ?? '');
  return !verifiedModes.includes(query.get('sslmode') ?? '');
}

/** The client of EventStoreDB uses TLS by default, and accepts several hosts separated by commas. */
function isClearEventStore(text: string): boolean {
  if (text.startsWith('unix:')) return false;
  const query = new Map([...queryOf(text)].map(([name, value]) => [name.toLowerCase(), value.toLowerCase()]));
  const careless = query.get('tls') === 'false' || query.get('tlsverifycert') === 'false';
  const [, authority = ''] = /^[^:]+:\/\/(?:[^@/?]*@)?([^/?]*)/.exec(text) ?? [];
  return careless && !authority.split(',').every((host) => isLoopback(hostOf(`esdb://${host}`)));
}

/** The URLs of MCP servers over HTTP, and of the issuers of tokens for them. */
function serverUrls(servers: unknown): string[] {
  return (Array.isArray(servers) ? servers : []).flatMap((server: unknown) => {
    const transport = isJsonObject(server) ? server['transport'] : undefined;
    if (!isJsonObject(transport)) return [];
    const { url, clientCredentials } = transport;
    const issuer = isJsonObject(clientCredentials) ? clientCredentials['issuer'] : undefined;
    return [url, issuer].filter((address) => typeof address === 'string');
  });
}

function fallbackUrls(fallbacks: unknown): string[] {
  return (Array.isArray(fallbacks) ? fallbacks : []).flatMap((fallback: unknown) => {
    const connection = isJsonObject(fallback) ? fallback['connection'] : undefined;
    const url = isJsonObject(connection) ? connection['baseUrl'] : undefined;
    return typeof url === 'string' ? [url] : [];
  });
}

/** Whether a URL refers to this machine. */
export function isOnThisMachine(text: string): boolean {
  return isLoopback(hostOf(text));
}

/** The host that a URL names; empty if it names none. */
function hostOf(text: string): string {
  return URL.canParse(text) ? new URL(text).hostname : '';
}

function queryOf(text: string): URLSearchParams {
  const start = text.indexOf('?');
  return new URLSearchParams(start < 0 ? '' : text.slice(start + 1));
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}
