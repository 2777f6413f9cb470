import type { Clock } from '@app/kernel';
import { SystemClock, type Configuration } from '@app/runtime';
import type { Logger } from 'pino';
import { AccessTokens, type TrustedIssuer } from './access-tokens';
import type { IssuerKeys } from './issuer-keys';
import { KeyFailures } from './key-failures';
import { OperatorGuard } from './operator-guard';
import { PartnerKeyCache } from './partner-key-cache';
import type { Accounts, PartnerKeys, RateWindows } from '../ports';
import { RequestGuard } from './request-guard';

/** Maximum estimated bytes of all cached operator tokens. */
const operatorTokensBytesMax = 1_000_000;

/** Dependencies of the guards. */
export interface GuardParts {
  readonly configuration: Configuration;
  readonly issuers: readonly IssuerKeys[];
  readonly keys: PartnerKeys;
  readonly accounts: Accounts;
  readonly windows: RateWindows;
  readonly serviceClock: Clock;
  readonly log: Logger;
}

/** The guards that decide which requests may reach their operations. */
export interface Guards {
  readonly partners: RequestGuard;
  /** Null if no operators are configured: then no operator route is served. */
  readonly operators: OperatorGuard | null;
}

/** Creates the guards of the application. They share the count of an address's failures, whatever area it tried to call. */
export function guardsOf(parts: GuardParts): Guards {
  const { configuration, windows, log } = parts;
  const { env, issuers, operatorIssuer } = configuration;
  const failures = new KeyFailures(env.KEY_FAILURES_PER_MINUTE);
  const users = new AccessTokens(
    trusted(parts, (issuer) => issuers.includes(issuer)),
    { claim: env.OIDC_AUDIENCE_CLAIM, values: env.OIDC_AUDIENCE },
  );
  const limits = {
    key: { name: 'key', perMinute: env.RATE_LIMIT_KEY_PER_MINUTE },
    user: { name: 'user', perMinute: env.RATE_LIMIT_USER_PER_MINUTE },
  };
  const operators = () =>
    new OperatorGuard(operatorTokens(parts), failures, windows, env.RATE_LIMIT_OPERATOR_PER_MINUTE, log);
  return {
    partners: new RequestGuard(new PartnerKeyCache(parts.keys), failures, users, parts.accounts, windows, limits, log),
    operators: operatorIssuer === null ? null : operators(),
  };
}

function operatorTokens(parts: GuardParts): AccessTokens {
  const { env, operatorIssuer } = parts.configuration;
  return new AccessTokens(
    trusted(parts, (issuer) => issuer === operatorIssuer),
    { claim: 'aud', values: [env.OPERATOR_AUDIENCE] },
    operatorTokensBytesMax,
    { issuer: 'OPERATOR_ISSUER', audience: 'OPERATOR_AUDIENCE' },
  );
}

/** Only the sandbox's own issuer uses the service clock (docs/decisions/sandbox.md). */
function trusted(
  { configuration, issuers, serviceClock }: GuardParts,
  isTrusted: (issuer: string) => boolean,
): TrustedIssuer[] {
  return issuers
    .filter(({ issuer }) => isTrusted(issuer))
    .map((keys) => ({
      keys,
      clock: configuration.isOwnIssuer(keys.issuer) ? serviceClock : new SystemClock(),
      skewMs: configuration.clockSkewMsOf(keys.issuer),
    }));
}
