import { trueOrFalse } from './variable-rules';

/** The allowances without which production refuses connections that third parties in between can read or alter. */
export const insecureVariables = {
  ALLOW_INSECURE_ISSUER: trueOrFalse({
    default: false,
    desc: 'Lets production fetch the keys of an issuer by http:// from another machine; a warning at every start',
  }),
  ALLOW_INSECURE_STORES: trueOrFalse({
    default: false,
    desc: 'Lets production reach stores on other machines without TLS; a warning at every start',
  }),
};

type Values = Readonly<Record<string, unknown>>;

/** A connection that others can read and alter: the variable that names it, the rule that it breaks, and the variable that allows it. */
export interface Insecure {
  readonly variable: string;
  readonly rule: string;
  readonly allowance: string;
}

/** The rule of addresses that are reached over HTTP. */
export const byHttps = 'must begin with https:// unless it is on this machine';

/**
 * The variables of a validated environment that production refuses because they send data in clear text, as `NAME: rule`.
 * @param others the insecure connections that only the product knows
 */
export function insecureProblems(env: Values, others: readonly Insecure[]): string[] {
  return insecureOf(env, others)
    .filter(({ allowance }) => env[allowance] !== true)
    .map(({ variable, rule, allowance }) => `${variable}: ${rule} (or set ${allowance}=true)`);
}

/** A line for each variable that production accepts only because of an allowance. */
export function insecureWarnings(env: Values, others: readonly Insecure[]): string[] {
  return insecureOf(env, others)
    .filter(({ allowance }) => env[allowance] === true)
    .map(
      ({ variable, allowance }) => `${allowance}=true: ${variable} is reached in a way that others can read and alter`,
    );
}

function insecureOf(env: Values, others: readonly Insecure[]): readonly Insecure[] {
  if (env['PARLEY_MODE'] !== 'production') return [];
  const found: Insecure[] = [];
  const check = (allowance: string, variable: string, isInsecure: (text: string) => boolean, rule: string): void => {
    const values = [env[variable]].flat().filter((value) => typeof value === 'string');
    if (values.some(isInsecure)) found.push({ variable, rule, allowance });
  };
  for (const variable of ['OIDC_ISSUER', 'OIDC_JWKS_URI', 'OPERATOR_ISSUER'])
    check('ALLOW_INSECURE_ISSUER', variable, isClearHttp, byHttps);
  const withTls = 'must ask for TLS with sslmode=verify-full unless it is on this machine';
  check('ALLOW_INSECURE_STORES', 'DATABASE_URL', isClearPostgres, withTls);
  const withoutCare = 'must not turn TLS or its certificates off unless it is on this machine';
  check('ALLOW_INSECURE_STORES', 'EVENTSTORE_URL', isClearEventStore, withoutCare);
  return [...found, ...others];
}

/** Whether a URL refers to another machine, without TLS. */
export function isClearHttp(text: string): boolean {
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
