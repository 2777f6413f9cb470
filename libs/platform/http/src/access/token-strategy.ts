import { compactVerify, errors, type CryptoKey } from 'jose';
import { Passport } from 'passport';
import { Strategy } from 'passport-jwt';

/** Asymmetric algorithms only: with `none` or HS*, the public key is enough to sign. `Ed25519` is EdDSA by its newer name (RFC 9864). */
export const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/** The reason why a token is not accepted, for the operator's log. */
export class Refused extends Error {}

/** A decoded token with the key that it must be signed with. */
export interface KeyFound {
  readonly key: CryptoKey;
}

type Done<Value> = (error: unknown, value?: Value) => void;

/**
 * A strategy of passport-jwt as one function that touches no request and no response: it finds the key of a token, verifies the signature,
 * and returns the token's user. @throws Refused, and the errors of `find` and `identify`
 */
export function tokenStrategy<Found extends KeyFound, User extends object>(
  find: (token: string) => Promise<Found>,
  identify: (found: Found) => User,
): (token: string) => Promise<User> {
  const strategy = new Strategy(
    {
      jwtFromRequest: ({ token }: { readonly token: string }) => token,
      secretOrKeyProvider: (_request, token: string, done: Done<string>) =>
        // Reason for the assertion: the types allow only secrets and PEM, but the library passes the key on unchanged.
        void find(token).then((found) => done(null, found as unknown as string), done),
    },
    (found: Found, done: Done<User>) => done(null, identify(found)),
  );
  // Used by name, because passport copies a named strategy for each token; one that is passed in would be shared by concurrent tokens, and
  // so would their outcomes.
  const passport = new Passport().use('user', strategy);
  return (token) =>
    new Promise((resolve, reject) => {
      const finish = (error: unknown, user: User | false | undefined, why: unknown) => {
        if (user) return resolve(user);
        const cause = error ?? why;
        reject(cause instanceof Error ? cause : new Refused(String(cause)));
      };
      // Reason for the assertion: typed as `any`; it is a connect handler.
      const handle = passport.authenticate('user', { session: false }, finish) as ConnectHandler;
      handle({ token }, undefined, reject);
    });
}

type ConnectHandler = (
  request: { readonly token: string },
  response: undefined,
  next: (error: unknown) => void,
) => void;

// passport-jwt verifies with jsonwebtoken, which does not support EdDSA, and allows its verifier to be replaced.
Object.assign(Strategy, {
  JwtVerifier: (token: string, found: KeyFound, _options: unknown, done: Done<KeyFound>): void => {
    verifySignature(token, found.key).then(() => done(null, found), done);
  },
});

async function verifySignature(token: string, key: CryptoKey): Promise<void> {
  try {
    await compactVerify(token, key, { algorithms });
  } catch (error) {
    const isWrong = error instanceof errors.JWSSignatureVerificationFailed;
    throw new Refused(isWrong ? 'its signature is wrong' : `its signature cannot be verified (${String(error)})`);
  }
}
