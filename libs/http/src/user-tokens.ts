import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import {
  codePointLength,
  instantOf,
  isJsonObject,
  Unavailable,
  type Clock,
  type Instant,
  type JsonObject,
  type UserId,
} from '@app/kernel';
import { passportJwtSecret } from 'jwks-rsa';
import { LRUCache } from 'lru-cache';
import { Passport } from 'passport';
import { ExtractJwt, Strategy } from 'passport-jwt';
import { IssuerKeys } from './issuer-keys';
import { isCleanText } from './strict-json';
import { userIdOf } from './user-identity';

/** Whom a verified user token speaks for. */
export interface UserIdentity {
  readonly userId: UserId;
  readonly subject: string;
  readonly issuer: string;
  readonly expiresAt: Instant;
  readonly expiresAtMs: number;
  readonly claims: JsonObject;
}

export type TokenVerdict =
  | { readonly kind: 'accepted'; readonly identity: UserIdentity }
  | { readonly kind: 'expired' }
  | { readonly kind: 'refused' };

/** Asymmetric ones only: with `none` or HS* anyone who knows the public key could sign. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512'] as const;

const verifiedKeptMs = 60_000;
const verifiedKeptMax = 20_000;
const signingKeysKeptMs = 300_000;
const signingKeysKeptMax = 16;
const subjectLengthMax = 512;
/** How far the issuer's clock may be ahead of ours. */
const clockSkewMs = 5_000;

/**
 * Verifies user access tokens of one issuer with `passport-jwt`, and remembers good ones by digest for at most a minute.
 * Times are checked by the clock that is given: the service's for the sandbox's own tokens, the real one for any other's.
 */
export class UserTokens {
  private readonly verified = new LRUCache<string, UserIdentity>({ max: verifiedKeptMax, ttl: verifiedKeptMs });
  private readonly authenticate: (request: IncomingMessage) => Promise<TokenVerdict>;

  constructor(
    private readonly options: { readonly issuer: string; readonly audience: string; readonly clock: Clock },
    keys: IssuerKeys = new IssuerKeys(options.issuer),
  ) {
    this.authenticate = verifierOf(options, keys, (claims) => this.judge(claims));
  }

  /** The verdict on a token that was verified within the last minute; null when it has to be verified (again). */
  remembered(token: string): TokenVerdict | null {
    const identity = this.verified.get(hash('sha256', token, 'base64'));
    return identity === undefined ? null : this.inTime(identity);
  }

  /** Verifies a request's bearer token. @throws Unavailable when the issuer's keys cannot be had */
  async verify(token: string, request: IncomingMessage): Promise<TokenVerdict> {
    const verdict = await this.authenticate(request);
    if (verdict.kind === 'accepted') this.verified.set(hash('sha256', token, 'base64'), verdict.identity);
    return verdict;
  }

  private inTime(identity: UserIdentity): TokenVerdict {
    return identity.expiresAtMs > this.options.clock.epochMs() ? { kind: 'accepted', identity } : { kind: 'expired' };
  }

  /** Judges the claims of a token whose signature, issuer and audience are good. */
  private judge(claims: unknown): TokenVerdict {
    if (!isJsonObject(claims)) return { kind: 'refused' };
    const { sub, exp, nbf, iat } = claims;
    const latestStartMs = this.options.clock.epochMs() + clockSkewMs;
    const started = [nbf, iat].every(
      (at) => at === undefined || (typeof at === 'number' && at * 1000 <= latestStartMs),
    );
    if (!isSubject(sub) || typeof exp !== 'number' || !isTime(exp) || !started) return { kind: 'refused' };
    const expiresAtMs = Math.floor(exp * 1000);
    const issuer = this.options.issuer;
    const userId = userIdOf(issuer, sub);
    return this.inTime({ userId, subject: sub, issuer, expiresAt: instantOf(expiresAtMs), expiresAtMs, claims });
  }
}

/** Passport with the issuer's keys behind it, as one function that never touches the response. */
function verifierOf(
  options: { readonly issuer: string; readonly audience: string },
  keys: IssuerKeys,
  judge: (claims: unknown) => TokenVerdict,
): (request: IncomingMessage) => Promise<TokenVerdict> {
  const strategy = new Strategy(
    {
      jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(),
      secretOrKeyProvider: passportJwtSecret({
        jwksUri: keys.discoveryUrl,
        fetcher: () => keys.fetch(),
        cache: true,
        cacheMaxAge: signingKeysKeptMs,
        cacheMaxEntries: signingKeysKeptMax,
      }),
      algorithms: [...algorithms],
      issuer: options.issuer,
      audience: options.audience,
      // The library knows real time only; `judge` checks all times by the right clock.
      ignoreExpiration: true,
      jsonWebTokenOptions: { ignoreNotBefore: true },
    },
    (claims: unknown, done: (error: null, verdict: TokenVerdict) => void) => done(null, judge(claims)),
  );
  // Used by name: of a named strategy passport makes a copy for each request, while one that is passed in would be shared by
  // requests at the same time, and so would their outcomes.
  const passport = new Passport().use('user', strategy);
  return (request) =>
    new Promise((resolve, reject) => {
      const finish = (error: unknown, verdict: TokenVerdict | false | undefined, why: unknown) => {
        const cause = error ?? why;
        if (cause instanceof Unavailable) reject(cause);
        else resolve(verdict === false || verdict === undefined ? { kind: 'refused' } : verdict);
      };
      // Reason for the assertion: the types call it `any`; it is a connect handler.
      const handle = passport.authenticate('user', { session: false }, finish) as ConnectHandler;
      handle(request, undefined, reject);
    });
}

type ConnectHandler = (request: IncomingMessage, response: undefined, next: (error: unknown) => void) => void;

function isSubject(sub: unknown): sub is string {
  return typeof sub === 'string' && sub !== '' && codePointLength(sub) <= subjectLengthMax && isCleanText(sub);
}

/** Seconds since the epoch that fit a four-digit year. */
function isTime(seconds: number): boolean {
  return seconds > 0 && seconds < 253_402_300_800;
}
