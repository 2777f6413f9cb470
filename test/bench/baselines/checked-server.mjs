// Fastify as a partner would put it in front of its runs: an API key and a user's token on every request, neither
// checked in a database. So the baselines make the product's checks at less than the product's cost.
import { hash, timingSafeEqual } from 'node:crypto';
import fastify from 'fastify';
import { createLocalJWKSet, jwtVerify } from 'jose';

/** As in the product: a valid token is not verified again within a minute. */
const verifiedKeptMs = 60_000;

/** A server that accepts the key and the issuer's tokens of its environment (`credentials` of a deployment). */
export function checkedServer() {
  const { PARTNER_KEY, ISSUER, ISSUER_KEYS, AUDIENCE } = process.env;
  const keyDigest = hash('sha256', PARTNER_KEY, 'buffer');
  const keys = createLocalJWKSet(JSON.parse(ISSUER_KEYS));
  const verifiedUntilMs = new Map();

  const tokenIsGood = async (token) => {
    const digest = hash('sha256', token, 'base64');
    if (verifiedUntilMs.get(digest) > performance.now()) return true;
    try {
      await jwtVerify(token, keys, { issuer: ISSUER, audience: AUDIENCE });
    } catch {
      return false;
    }
    verifiedUntilMs.set(digest, performance.now() + verifiedKeptMs);
    return true;
  };

  const app = fastify();
  app.addHook('onRequest', async ({ headers }, reply) => {
    const keyIsGood = timingSafeEqual(hash('sha256', headers['x-api-key'] ?? '', 'buffer'), keyDigest);
    const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
    if (!keyIsGood || !(await tokenIsGood(token))) return reply.code(401).send({ reason: 'unauthorized' });
  });
  return app;
}

/** Listens, and prints the port for `startBaseline`. */
export async function serve(app) {
  await app.listen({ port: 0, host: '127.0.0.1' });
  console.log(app.server.address().port);
}
