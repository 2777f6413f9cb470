import type { Unavailable } from '@app/kernel';
import type { Configuration } from '@app/runtime';
import type { Logger } from 'pino';
import { IssuerKeys } from './issuer-keys';
import type { ReadinessCheck } from '../ports';

/** The names of the issuers in `GET /readyz`. */
const checkName = 'identity provider';
const operatorCheckName = 'operator identity provider';

/**
 * The issuers of the configuration and their keys (docs/decisions/configuration-and-start.md, "Identity providers"), including that of
 * operators, after each of them was checked; a sandbox's own is not, because it does not listen yet. @throws UnfitIssuer
 */
export async function checkIssuers(configuration: Configuration, log: Logger): Promise<readonly IssuerKeys[]> {
  const { OIDC_JWKS_URI: jwksUri, OIDC_TIMEOUT_MS: timeoutMs } = configuration.env;
  const { issuers: ofUsers, operatorIssuer } = configuration;
  const ofOperators = operatorIssuer === null || ofUsers.includes(operatorIssuer) ? [] : [operatorIssuer];
  const issuers = [...ofUsers, ...ofOperators].map((issuer) => {
    const onTrouble = (trouble: Unavailable) =>
      log.warn({ err: trouble, issuer }, "the issuer's keys could not be had");
    const found = ofUsers.includes(issuer) ? { jwksUri } : { variable: 'OPERATOR_ISSUER' as const };
    return new IssuerKeys(issuer, { timeoutMs, onTrouble, ...found });
  });
  await Promise.all(othersOf(configuration, issuers).map((one) => one.look()));
  return issuers;
}

/** Readiness checks of issuers other than a sandbox's own. */
export function issuersReadiness(configuration: Configuration, issuers: readonly IssuerKeys[]): ReadinessCheck[] {
  const ofUsers = issuers.filter(({ issuer }) => configuration.issuers.includes(issuer));
  const ofOperators = issuers.filter((one) => !ofUsers.includes(one));
  const checks = [usersReadiness(configuration, ofUsers), ...ofOperators.map(operatorsReadiness)];
  return checks.filter((check) => check !== null);
}

/**
 * `away` while no user token can be verified, `degraded` while some issuer does not answer; null if a sandbox's own issuer is the only one.
 */
function usersReadiness(configuration: Configuration, issuers: readonly IssuerKeys[]): ReadinessCheck | null {
  const others = othersOf(configuration, issuers);
  if (others.length === 0) return null;
  const check = async () => {
    const states = await Promise.all(others.map((one) => one.state()));
    if (states.every((state) => state === 'ok')) return 'ok';
    return others.length === issuers.length && states.every((state) => state === 'away') ? 'away' : 'degraded';
  };
  return { name: checkName, check };
}

/** At worst `degraded`, because users are served without it. */
function operatorsReadiness(issuer: IssuerKeys): ReadinessCheck {
  return { name: operatorCheckName, check: async () => ((await issuer.state()) === 'ok' ? 'ok' : 'degraded') };
}

function othersOf(configuration: Configuration, issuers: readonly IssuerKeys[]): readonly IssuerKeys[] {
  return issuers.filter(({ issuer }) => !configuration.isOwnIssuer(issuer));
}
