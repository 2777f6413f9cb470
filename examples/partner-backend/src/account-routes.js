import { ParleyClient } from '@parley/client';
import { renewingToken } from './renewing-token.js';
import { signIn } from './sign-in.js';

const signInBody = {
  type: 'object',
  required: ['name'],
  additionalProperties: false,
  // Control characters and halves of surrogate pairs are in no name, and Parley takes none of them in a subject.
  properties: { name: { type: 'string', pattern: '^(?=.*\\S)[^\\p{Cc}\\p{Cs}]*$', maxLength: 60 } },
};

/**
 * Who is signed in, signing in and out.
 * @param {import('fastify').FastifyInstance} app
 * @param {import('./sessions.js').Sessions} sessions
 * @param {import('./settings.js').Settings} settings
 */
export function accountRoutes(app, sessions, settings) {
  app.get('/api/session', async (request) => ({ name: sessions.find(request)?.name ?? null }));

  app.post('/api/session', { schema: { body: signInBody } }, async (request, reply) => {
    const { name } = /** @type {{ name: string }} checked by the schema */ (request.body);
    const identity = await signIn(settings.baseUrl, name);
    const parley = clientFor(identity, settings);

    // Both are safe to repeat: the account and its wallet are made at the first sign-in, and found at every other.
    await parley.users.ensure();
    await parley.wallets.ensure();

    sessions.open(request, reply, { name: identity.name, parley });
    return { name: identity.name };
  });

  app.delete('/api/session', async (request, reply) => {
    sessions.close(request, reply);
    return reply.code(204).send();
  });
}

/**
 * A client for one session: the partner's key says which company calls, the token for which user.
 * @param {import('./sign-in.js').Identity} identity
 * @param {import('./settings.js').Settings} settings
 */
function clientFor(identity, { baseUrl, partnerKey }) {
  return new ParleyClient({
    baseUrl,
    partnerKey,
    userToken: renewingToken(identity.issueToken),
    // Somebody is waiting for the answer: a short hiccup is bridged, and what only time can solve (409) is told at once.
    retry: { totalMs: 4_000, when: (problem) => problem.retryable && problem.status !== 409 },
  });
}
