import { createRemoteJWKSet, errors, jwtVerify } from 'jose';

/** Parley's signature is valid for a minute; clocks may differ slightly. */
const clockSkewSeconds = 10;

/** The call has no valid proof of the user it is made for. */
export class NotCalledForAUser extends Error {}

/**
 * @typedef {object} Caller the user and the call
 * @property {string} userId the user at Parley, as `POST /v1/users` answered it
 * @property {string} callId the same for every attempt of one call; a call of another user may have the same id
 */

/**
 * Identifies the user of a call, by the header only: the arguments and `_meta` can be written by anyone who reaches this server.
 * @param {import('./settings.js').Settings} settings
 */
export function createCallers({ baseUrl, name }) {
  // Requested once, cached, and requested again for an unknown key.
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
      // Anything else, such as keys that cannot be fetched, is not the caller's fault.
      if (!(cause instanceof errors.JOSEError) || cause instanceof errors.JWKSTimeout) throw cause;
      throw new NotCalledForAUser(`Parley-Context is refused: ${cause.code}`, { cause });
    }
  }
}
