import { ParleyClient } from '@parley/client';
import { renewingToken } from './renewing-token.js';
import { signIn } from './sign-in.js';

const signInBody = {
  type: 'object',
  required: ['name'],
  additionalProperties: false,
  // Control characters and unpaired surrogates are in no name, and Parley refuses them in a subject.
  properties: { name: { type: 'string', pattern: '^(?=.*\\S)[^\\p{Cc}\\p{Cs}]*$', maxLength: 60 } },
};

/**
 * The current session, signing in and signing out.
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

    // Both are safe to repeat: the account and its wallet are created at the first sign-in, and found at every later one.
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
 * Returns a client for one session: the partner's key identifies the company, and the token the user.
 * @param {import('./sign-in.js').Identity} identity
 * @param {import('./settings.js').Settings} settings
 */
function clientFor(identity, { baseUrl, partnerKey }) {
  return new ParleyClient({
    baseUrl,
    partnerKey,
    userToken: renewingToken(identity.issueToken),
    // The user is waiting: short failures are retried, and a conflict that only time resolves (409) is reported at once.
    retry: { totalMs: 4_000, when: (problem) => problem.retryable && problem.status !== 409 },
  });
}
