import { makeValidator, str } from 'envalid';
import { wrongInCalledUrl } from '../http-urls';
import { httpUrl, positiveInteger, Rule, wholeNumber } from './variable-rules';

const issuersMax = 16;
const userAudience = 'parley';
const operatorAudience = 'parley-operator';
const audiencesMax = 64;

/** Compared exactly with a token's `iss`, so a slash at the end is kept. */
const issuers = makeValidator<readonly string[]>((text) => {
  const named = splitList(text);
  if (named.length === 0 || named.length > issuersMax || !named.every(isIssuer))
    throw new Rule(
      `must name 1 to ${issuersMax} issuers with commas between, each by http:// or https:// and without a query`,
    );
  refuseWrongHosts(named);
  return named;
});

const issuer = makeValidator<string>((text) => {
  if (!isIssuer(text)) throw new Rule('must name one issuer, by http:// or https:// and without a query');
  refuseWrongHosts([text]);
  return text;
});

const audiences = makeValidator<readonly string[]>((text) => {
  const named = splitList(text);
  if (named.length === 0 || named.length > audiencesMax)
    throw new Rule(`must name 1 to ${audiencesMax} audiences with commas between`);
  return named;
});

function splitList(text: string): readonly string[] {
  const parts = text.split(/[\s,]+/).filter((part) => part !== '');
  return [...new Set(parts)];
}

function isIssuer(text: string): boolean {
  return /^https?:\/\/[^\s@?#]+$/.test(text) && URL.canParse(text);
}

/** @throws Rule for the first issuer that cannot be called */
function refuseWrongHosts(issuers: readonly string[]): void {
  const wrong = issuers.map(wrongInCalledUrl).find((words) => words !== null);
  if (wrong !== undefined) throw new Rule(issuers.length > 1 ? `each issuer ${wrong}` : wrong);
}

/** The environment variables of the identity providers of users. */
export const userVariables = {
  OIDC_ISSUER: issuers({
    default: undefined,
    requiredWhen: (env) => env['PARLEY_MODE'] === 'production',
    desc: 'Issuers of user access tokens with commas between, each as its tokens name it and found by its OpenID discovery document; unset: the sandbox issuer',
  }),
  OIDC_AUDIENCE: audiences({
    default: [userAudience],
    desc: 'Audiences with commas between; user access tokens must name one of them',
  }),
  OIDC_AUDIENCE_CLAIM: str({
    choices: ['aud', 'client_id', 'azp'] as const,
    default: 'aud',
    desc: 'Claim of user access tokens that names the audience; another than aud for providers whose access tokens have none',
  }),
  OIDC_JWKS_URI: httpUrl({
    default: undefined,
    desc: "Where the issuer's keys are, for one issuer without a discovery document; unset: where that document says",
  }),
  OIDC_CLOCK_SKEW_SECONDS: wholeNumber({
    default: 30,
    desc: "How far the issuers' clocks may be off: a token counts so long before it begins and after it has expired, in seconds",
  }),
  OIDC_TIMEOUT_MS: positiveInteger({
    default: 5000,
    desc: 'How long an issuer may take to show its discovery document and its keys, in milliseconds',
  }),
};

/** The environment variables of the identity provider of operators, and of the browsers that are served. */
export const operatorVariables = {
  OPERATOR_ISSUER: issuer({
    default: undefined,
    desc: "Issuer of operators' access tokens, named and found as OIDC_ISSUER is; unset: the sandbox issuer, and in production there is no operator API",
  }),
  OPERATOR_AUDIENCE: str({
    default: operatorAudience,
    desc: "Audience that operators' access tokens must name in aud; none of OIDC_AUDIENCE, so that no user's token is an operator's",
  }),
  WEB_ORIGIN: str({ default: undefined, desc: "The one browser origin allowed; unset: only the service's own" }),
};

/** Refuses an address of keys without exactly one issuer: their owner would be unclear. */
export function keysProblems({ OIDC_JWKS_URI: keys, OIDC_ISSUER: named = '' }: NodeJS.ProcessEnv): string[] {
  if (keys === undefined || splitList(named).length === 1) return [];
  return ['OIDC_JWKS_URI: must go with one OIDC_ISSUER, whose keys they are'];
}

/** Refuses an audience by which a user's token could pass for an operator's. */
export function audienceProblems(given: NodeJS.ProcessEnv): string[] {
  const ofUsers = splitList(given['OIDC_AUDIENCE'] ?? userAudience);
  const isShared = ofUsers.includes(given['OPERATOR_AUDIENCE'] ?? operatorAudience);
  return isShared ? ['OPERATOR_AUDIENCE: must be none of OIDC_AUDIENCE'] : [];
}
