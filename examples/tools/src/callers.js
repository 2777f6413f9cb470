import { createRemoteJWKSet, errors, jwtVerify } from 'jose';

/** Parley signs for a minute; clocks may differ a little. */
const clockSkewSeconds = 10;

/** The call does not say whose it is, in a way that can be believed. */
export class NotCalledForAUser extends Error {}

/**
 * @typedef {object} Caller whose call it is
 * @property {string} userId the user at Parley, as `POST /v1/users` answered it
 * @property {string} callId the same for every attempt of one call; another user's call may have the same
 */

/**
 * Finds out whose a call is. Nothing but the header is asked: what a model wrote, and `_meta`, anybody can write who reaches this server.
 * @param {import('./settings.js').Settings} settings
 */
export function createCallers({ baseUrl, name }) {
  // Asked for once, kept, and asked for again where a key is not known.
  const keys = createRemoteJWKSet(new URL(`${baseUrl}/.well-known/jwks.json`));

  return {
    /**
     * @param {string | string[] | undefined} header Parley-Context
     * @returns {Promise<Caller>} @throws NotCalledForAUser
     */
    async of(header) {
      if (typeof header !== 'string') throw new NotCalledForAUser('the call has no header Parley-Context');
      const { sub, 'parley/toolCallId': callId } = await verify(header);
      if (typeof sub !== 'string' || sub === '' || typeof callId !== 'string' || callId === '')
        throw new NotCalledForAUser('Parley-Context names no user and call');
      return { userId: sub, callId };
    },
  };

  /** @param {string} token */
  async function verify(token) {
    try {
      const { payload } = await jwtVerify(token, keys, {
        algorithms: ['ES256'],
        issuer: baseUrl,
        audience: name,
        maxTokenAge: 60,
        requiredClaims: ['exp', 'jti'],
        clockTolerance: clockSkewSeconds,
      });
      return payload;
    } catch (cause) {
      // Anything else, such as keys that cannot be fetched, is no fault of who calls.
      if (!(cause instanceof errors.JOSEError) || cause instanceof errors.JWKSTimeout) throw cause;
      throw new NotCalledForAUser(`Parley-Context is refused: ${cause.code}`, { cause });
    }
  }
}
