import { randomBytes } from 'node:crypto';

const sessionLifeMs = 12 * 60 * 60 * 1000;
/** Above this number the oldest session ends. With several processes of this backend, keep sessions in a store that they share. */
const sessionsMax = 10_000;

/** The request has no session, or its session has ended. */
export class NotSignedIn extends Error {}

/**
 * @typedef {object} Session the state that this backend keeps for a browser, which itself only gets a random id
 * @property {string} name
 * @property {import('@parley/client').ParleyClient} parley calls Parley with both credentials, the partner's and this user's, and acts
 *   only for this user's account
 * @property {AbortSignal} over aborts when the session ends, which ends its streams
 */

/**
 * Keeps sessions in memory, found by a cookie that no script can read and that no other site can make a browser send.
 * @param {URL} publicOrigin
 */
export function createSessions(publicOrigin) {
  /** @type {Map<string, Session & { abort: AbortController, endsAt: number }>} */
  const sessions = new Map();
  const secure = publicOrigin.protocol === 'https:';
  const cookieName = secure ? '__Host-session' : 'session';
  const cookie = /** @type {const} */ ({ path: '/', httpOnly: true, sameSite: 'strict', secure });

  /** @param {string | undefined} id */
  function end(id) {
    if (id === undefined) return;
    sessions.get(id)?.abort.abort();
    sessions.delete(id);
  }

  /** @param {import('fastify').FastifyRequest} request */
  function find(request) {
    const id = request.cookies[cookieName];
    const session = id === undefined ? undefined : sessions.get(id);
    if (session !== undefined && session.endsAt > Date.now()) return session;
    end(id);
    return null;
  }

  return {
    find,

    /**
     * Returns the session of the browser that sent the request. Throws NotSignedIn if there is none.
     * @param {import('fastify').FastifyRequest} request
     * @returns {Session}
     */
    of(request) {
      const session = find(request);
      if (session === null) throw new NotSignedIn();
      return session;
    },

    /**
     * Opens a session under a new id, replacing the one that the browser had.
     * @param {import('fastify').FastifyRequest} request
     * @param {import('fastify').FastifyReply} reply
     * @param {Pick<Session, 'name' | 'parley'>} who
     */
    open(request, reply, who) {
      end(request.cookies[cookieName]);
      if (sessions.size >= sessionsMax) end(sessions.keys().next().value);
      const id = randomBytes(32).toString('base64url');
      const abort = new AbortController();
      sessions.set(id, { ...who, abort, over: abort.signal, endsAt: Date.now() + sessionLifeMs });
      reply.setCookie(cookieName, id, cookie);
    },

    /**
     * @param {import('fastify').FastifyRequest} request
     * @param {import('fastify').FastifyReply} reply
     */
    close(request, reply) {
      end(request.cookies[cookieName]);
      reply.clearCookie(cookieName, cookie);
    },

    /** Ends all sessions, and with them every stream. */
    closeAll() {
      for (const id of [...sessions.keys()]) end(id);
    },
  };
}

/** @typedef {ReturnType<typeof createSessions>} Sessions */
