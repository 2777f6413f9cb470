import { hash, type KeyObject } from 'node:crypto';
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
import { decodeProtectedHeader } from 'jose';
import { LRUCache } from 'lru-cache';
import { Passport } from 'passport';
import { ExtractJwt, Strategy, type SecretOrKeyProvider } from 'passport-jwt';
import type { IssuerKeys, IssuerKeySet } from './issuer-keys';
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
const subjectLengthMax = 512;
/** What an access token may call itself (RFC 9068, section 2.1); logout tokens, ID tokens that say so and the like are none. */
const accessTokenTypes = new Set(['jwt', 'at+jwt', 'application/at+jwt']);
/** How far the issuer's clock may be ahead of ours. */
const clockSkewMs = 5_000;

/**
 * Verifies user access tokens of one issuer with `passport-jwt`, and remembers good ones by digest for at most a minute, and only as
 * long as the issuer's keys stay the same. Times are checked by the clock that is given: the service's for the sandbox's own tokens, the real one for any other's.
 */
export class UserTokens {
  private readonly verified = new LRUCache<string, Verified>({ max: verifiedKeptMax, ttl: verifiedKeptMs });
  private readonly authenticate: (request: IncomingMessage) => Promise<TokenVerdict>;

  constructor(
    private readonly options: { readonly issuer: string; readonly audience: string; readonly clock: Clock },
    private readonly keys: IssuerKeys,
  ) {
    this.authenticate = verifierOf(options, keys, (claims) => this.judge(claims));
  }

  /** The verdict on a token that was verified within the last minute; null when it has to be verified (again). */
  remembered(token: string): TokenVerdict | null {
    const verified = this.verified.get(hash('sha256', token, 'base64'));
    if (verified === undefined || verified.keys !== this.keys.known()) return null;
    return this.inTime(verified.identity);
  }

  /** Verifies a request's bearer token. @throws Unavailable when the issuer's keys cannot be had */
  async verify(token: string, request: IncomingMessage): Promise<TokenVerdict> {
    const keys = await this.keys.current();
    const verdict = await this.authenticate(request);
    // Where they changed meanwhile, nobody knows which of them it was verified with.
    if (verdict.kind === 'accepted' && keys === this.keys.known()) {
      this.verified.set(hash('sha256', token, 'base64'), { identity: verdict.identity, keys });
    }
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

interface Verified {
  readonly identity: UserIdentity;
  /** Those that it was verified with. */
  readonly keys: IssuerKeySet;
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
      secretOrKeyProvider: keyProvider(keys),
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

/** Finds the key of a token whose header is that of an access token; any other fails, and so does one whose key nobody knows. */
function keyProvider(keys: IssuerKeys): SecretOrKeyProvider {
  const find = async (token: string): Promise<KeyObject> => {
    const header = decodeProtectedHeader(token);
    // Whoever does not understand what `crit` names must refuse the token (RFC 7515, section 4.1.11).
    if (!isAccessTokenType(header.typ) || header.crit !== undefined) throw new Error('this is no access token');
    const key = (await (await keys.current()).keyFor(header)) ?? (await (await keys.renewed()).keyFor(header));
    if (key === null) throw new Error('the issuer has no such key');
    return key;
  };
  return (_request, token, done) => {
    // Reason for the assertion: the types know secrets and PEM only, but the library takes what node:crypto takes.
    find(String(token)).then((key) => done(null, key as unknown as string), done);
  };
}

function isAccessTokenType(typ: unknown): boolean {
  return typ === undefined || (typeof typ === 'string' && accessTokenTypes.has(typ.toLowerCase()));
}

type ConnectHandler = (request: IncomingMessage, response: undefined, next: (error: unknown) => void) => void;

function isSubject(sub: unknown): sub is string {
  return typeof sub === 'string' && sub !== '' && codePointLength(sub) <= subjectLengthMax && isCleanText(sub);
}

/** Seconds since the epoch that fit a four-digit year. */
function isTime(seconds: number): boolean {
  return seconds > 0 && seconds < 253_402_300_800;
}
