import type { CleanedEnv } from 'envalid';
import type { admissionVariables } from './admission-variables';
import type { connectionVariables } from './connection-variables';
import type { deprecationVariables } from './deprecation-variables';
import type { operatorVariables, userVariables } from './identity-variables';
import type { insecureVariables } from './insecure-variables';
import type { operationVariables, serviceVariables } from './service-variables';

/** The environment of any service on this platform. A product joins these groups with its own ones. */
type Environment = CleanedEnv<
  typeof serviceVariables &
    typeof userVariables &
    typeof operatorVariables &
    typeof admissionVariables &
    typeof connectionVariables &
    typeof deprecationVariables &
    typeof insecureVariables &
    typeof operationVariables
>;

/**
 * The validated configuration of a process; injected wherever a setting is needed.
 * @typeParam All the environment of the product, which has more variables than the platform's
 */
export class Configuration<All extends Environment = Environment> {
  constructor(readonly env: Readonly<All>) {}

  get sandbox(): boolean {
    return this.env.PARLEY_MODE === 'sandbox';
  }

  /** The URL at which this process listens. */
  get baseUrl(): string {
    const host = this.env.HOST.includes(':') ? `[${this.env.HOST}]` : this.env.HOST;
    return `http://${host}:${this.env.PORT}`;
  }

  /** The URL under which partners reach the service, without a slash at the end. */
  get publicUrl(): string {
    return (this.env.PUBLIC_URL ?? this.baseUrl).replace(/\/+$/, '');
  }

  /** The issuers whose user tokens are accepted; the built-in one in a sandbox that names no other. */
  get issuers(): readonly string[] {
    return this.env.OIDC_ISSUER ?? [`${this.baseUrl}/sandbox/issuer`];
  }

  /** The issuer of operators' tokens: a sandbox's own, unless another one is named; null if there is no operator API. */
  get operatorIssuer(): string | null {
    return this.env.OPERATOR_ISSUER ?? this.issuers.find((issuer) => this.isOwnIssuer(issuer)) ?? null;
  }

  /** The issuer in whose name a sandbox mints tokens: its own one, if it is among the accepted ones. */
  get sandboxIssuer(): string {
    const [first = ''] = this.issuers;
    return this.issuers.find((issuer) => this.isOwnIssuer(issuer)) ?? first;
  }

  /**
   * Whether an issuer is this deployment's own sandbox, whose tokens use the service clock (docs/decisions/sandbox.md). Replicas on several
   * ports name the issuer of one of them as OIDC_ISSUER.
   */
  isOwnIssuer(issuer: string): boolean {
    return this.sandbox && issuer.endsWith('/sandbox/issuer');
  }

  /** Tolerated difference between an issuer's clock and ours; 0 for the own issuer, which uses the same clock. */
  clockSkewMsOf(issuer: string): number {
    return this.isOwnIssuer(issuer) ? 0 : this.env.OIDC_CLOCK_SKEW_SECONDS * 1000;
  }
}
