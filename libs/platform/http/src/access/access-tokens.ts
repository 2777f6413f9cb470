import { hash } from 'node:crypto';
import { codePointLength, heldBytes, instantOf, isJsonObject } from '@app/kernel';
import type { Clock, Instant, JsonObject } from '@app/kernel';
import { decodeJwt, decodeProtectedHeader, type ProtectedHeaderParameters } from 'jose';
import { LRUCache } from 'lru-cache';
import type { IssuerKeys, IssuerKeySet } from './issuer-keys';
import { isCleanText } from '../body/strict-json';
import type { Identity } from '../ports';
import { algorithms, Refused, tokenStrategy, type KeyFound } from './token-strategy';

/** The user or operator that a verified token identifies. */
export interface TokenIdentity extends Identity {
  readonly expiresAt: Instant;
  readonly expiresAtMs: number;
  readonly claims: JsonObject;
}

export type TokenVerdict =
  | { readonly kind: 'accepted'; readonly identity: TokenIdentity }
  | { readonly kind: 'expired' }
  /** The cause is for the operator's log and never sent to the caller. */
  | { readonly kind: 'refused'; readonly cause: string };

/** An issuer whose tokens are accepted, and the clock by which they are judged. */
export interface TrustedIssuer {
  readonly keys: IssuerKeys;
  /** The service's clock for the sandbox's own tokens, the real one for all others. */
  readonly clock: Clock;
  /** Tolerated difference between this clock and the issuer's. */
  readonly skewMs: number;
}

/** The claim that names a token's audience, and its accepted values. */
export interface DemandedAudience {
  readonly claim: string;
  /** One of them is sufficient. */
  readonly values: readonly string[];
}

/** The variables that configure which tokens are accepted, as the log names them. */
export interface TokenVariables {
  readonly issuer: string;
  readonly audience: string;
}

const ofUsers: TokenVariables = { issuer: 'OIDC_ISSUER', audience: 'OIDC_AUDIENCE' };

const verifiedKeptMs = 60_000;
/** Maximum estimated bytes of all cached tokens: some 15,000 of ten claims, and a few hundred of the largest size that a header allows. */
const verifiedBytesMax = 32_000_000;
/** Estimated overhead per token, on top of its claims: the digest, objects, the cache's own part. */
const verifiedEntryBytes = 800;
const subjectLengthMax = 512;
const noTokenAtAll = 'it is no signed JSON Web Token';
/** Characters of a token's claim that the log shows. */
const quotedLengthMax = 200;
/** Accepted values of `typ` (RFC 9068, section 2.1); logout tokens, explicitly typed ID tokens and the like are refused. */
const accessTokenTypes = new Set(['jwt', 'at+jwt', 'application/at+jwt']);

/**
 * Verifies access tokens, of users or of operators. Caches good ones by digest for at most a minute, and only as long as their issuer's
 * keys are unchanged (docs/decisions/configuration-and-start.md, "Identity providers").
 */
export class AccessTokens {
  private readonly verified: LRUCache<string, Verified>;
  private readonly issuers: ReadonlyMap<string, TrustedIssuer>;
  private readonly authenticate = tokenStrategy(
    (token) => this.find(token),
    ({ claims, issuer, keys }) => ({ identity: this.identityIn(claims, issuer), issuer, keys }),
  );

  constructor(
    issuers: readonly TrustedIssuer[],
    private readonly audience: DemandedAudience,
    maxSize = verifiedBytesMax,
    private readonly variables = ofUsers,
  ) {
    const sizeCalculation = ({ identity }: Verified) => verifiedEntryBytes + heldBytes(identity.claims);
    this.verified = new LRUCache({ maxSize, sizeCalculation, ttl: verifiedKeptMs });
    this.issuers = new Map(issuers.map((one) => [one.keys.issuer, one]));
  }

  /** The verdict on a token that was verified within the last minute; null if it must be verified (again). */
  cachedVerdict(token: string): TokenVerdict | null {
    const verified = this.verified.get(hash('sha256', token, 'base64'));
    if (verified === undefined || verified.keys !== verified.issuer.keys.cachedKeys()) return null;
    return inTime(verified.identity, verified.issuer);
  }

  /** Verifies a bearer token. @throws Unavailable when its issuer's keys cannot be fetched */
  async verify(token: string): Promise<TokenVerdict> {
    try {
      // passport-jwt has no error for an empty token.
      if (token === '') throw new Refused(noTokenAtAll);
      const { identity, issuer, keys } = await this.authenticate(token);
      const verdict = inTime(identity, issuer);
      // If the keys changed meanwhile, it is unknown which of them verified the token.
      if (verdict.kind === 'accepted' && keys === issuer.keys.cachedKeys()) {
        this.verified.set(hash('sha256', token, 'base64'), { identity, keys, issuer });
      }
      return verdict;
    } catch (error) {
      if (error instanceof Refused) return { kind: 'refused', cause: error.message };
      throw error;
    }
  }

  /** The content of a token, and the key that it must be signed with. @throws Refused, Unavailable */
  private async find(token: string): Promise<Found> {
    const { header, claims, issuer } = this.read(token);
    const { keys, key } = await keyOf(header, issuer.keys);
    return { claims, issuer, keys, key };
  }

  /** The content of a token, before its signature is verified. @throws Refused */
  private read(token: string): { header: ProtectedHeaderParameters; claims: JsonObject; issuer: TrustedIssuer } {
    const { header, claims } = decode(token);
    if (!isAccessTokenType(header.typ)) throw new Refused(`its typ is ${quote(header.typ)}, which is no access token`);
    // A verifier must refuse a token whose `crit` names an extension that it does not understand (RFC 7515, section 4.1.11).
    if (header.crit !== undefined) throw new Refused('it takes an extension to understand (crit)');
    if (header.alg === undefined || !algorithms.includes(header.alg))
      throw new Refused(`its alg is ${quote(header.alg)}; accepted are ${algorithms.join(', ')}`);
    const iss = claims['iss'];
    const issuer = typeof iss === 'string' ? this.issuers.get(iss) : undefined;
    if (issuer === undefined)
      throw new Refused(`its iss is ${quote(iss)}, which ${this.variables.issuer} does not name`);
    return { header, claims, issuer };
  }

  /** The identity in a token whose signature is valid. @throws Refused */
  private identityIn(claims: JsonObject, { keys, clock, skewMs }: TrustedIssuer): TokenIdentity {
    const { sub, exp } = claims;
    const { claim, values } = this.audience;
    const named = [claims[claim]].flat();
    if (!values.some((value) => named.includes(value)))
      throw new Refused(`its ${claim} is ${quote(claims[claim])}, which ${this.variables.audience} does not name`);
    const latestStartMs = clock.epochMs() + skewMs;
    for (const name of ['nbf', 'iat']) {
      const at = claims[name];
      if (at !== undefined && !(typeof at === 'number' && at * 1000 <= latestStartMs))
        throw new Refused(`its ${name} is ${quote(at)}, which is not yet`);
    }
    if (!isSubject(sub)) throw new Refused(`its sub is no text of 1 to ${subjectLengthMax} characters`);
    if (typeof exp !== 'number' || !isTime(exp)) throw new Refused(`its exp is ${quote(exp)}, which is no time`);
    const expiresAtMs = Math.floor(exp * 1000);
    return { subject: sub, issuer: keys.issuer, expiresAt: instantOf(expiresAtMs), expiresAtMs, claims };
  }
}

/** A decoded token and its issuer's keys, one of which its header names. */
interface Found extends KeyFound {
  readonly claims: JsonObject;
  readonly issuer: TrustedIssuer;
  readonly keys: IssuerKeySet;
}

interface Verified {
  readonly identity: TokenIdentity;
  readonly issuer: TrustedIssuer;
  /** The keys with which it was verified. */
  readonly keys: IssuerKeySet;
}

function decode(token: string): { header: ProtectedHeaderParameters; claims: JsonObject } {
  try {
    const claims: unknown = decodeJwt(token);
    if (isJsonObject(claims)) return { header: decodeProtectedHeader(token), claims };
  } catch {
    // The decoder may receive anything; its reason is of no use.
  }
  throw new Refused(noTokenAtAll);
}

/** The key with which a token of this header is signed, and the key set that contains it. @throws Refused, Unavailable */
async function keyOf(header: ProtectedHeaderParameters, issuer: IssuerKeys): Promise<Pick<Found, 'keys' | 'key'>> {
  let keys = await issuer.current();
  let key = await keys.keyFor(header);
  if (key === null) {
    keys = await issuer.refresh();
    key = await keys.keyFor(header);
  }
  if (key === null) throw new Refused(`its issuer has no key ${quote(header.kid)} for ${header.alg}`);
  return { keys, key };
}

function inTime(identity: TokenIdentity, { clock, skewMs }: TrustedIssuer): TokenVerdict {
  return identity.expiresAtMs + skewMs > clock.epochMs() ? { kind: 'accepted', identity } : { kind: 'expired' };
}

function isAccessTokenType(typ: unknown): boolean {
  return typ === undefined || (typeof typ === 'string' && accessTokenTypes.has(typ.toLowerCase()));
}

function quote(value: unknown): string {
  return value === undefined ? 'missing' : JSON.stringify(value).slice(0, quotedLengthMax);
}

function isSubject(sub: unknown): sub is string {
  return typeof sub === 'string' && sub !== '' && codePointLength(sub) <= subjectLengthMax && isCleanText(sub);
}

/** Whether these seconds since the epoch fit a four-digit year. */
function isTime(seconds: number): boolean {
  return seconds > 0 && seconds < 253_402_300_800;
}
