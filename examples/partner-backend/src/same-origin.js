/**
 * Returns a hook that answers only at the page's own address, and lets only the page itself change anything. Together with a
 * SameSite=Strict cookie this prevents other sites from acting in a user's name.
 * @param {URL} publicOrigin
 * @returns {import('fastify').onRequestAsyncHookHandler}
 */
export function refuseOtherSites(publicOrigin) {
  return async (request, reply) => {
    reply.header('cache-control', request.url.startsWith('/api/') ? 'no-store' : 'no-cache');
    // Refuses names that another owner's DNS resolves to this server.
    if (request.headers.host !== publicOrigin.host) {
      return reply.code(421).send({ reason: 'wrong_address', title: `This page is at ${publicOrigin.origin}` });
    }
    const changes = request.method !== 'GET' && request.method !== 'HEAD';
    if (changes && request.headers.origin !== publicOrigin.origin) {
      return reply.code(403).send({ reason: 'origin_rejected', title: 'Another site may not do this' });
    }
  };
}
