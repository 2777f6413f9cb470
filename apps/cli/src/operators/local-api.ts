import { openApi } from '@app/composition';
import { operatorScopes } from '@app/http';
import { ReadGate } from '@app/read-store';
import { readConfiguration, type Configuration } from '@app/settings';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { userInfo } from 'node:os';
import { findDeployment, hearProjector } from './deployment';
import { taken, type OperatorApi } from './operator-call';

const algorithm = 'ES256';
const audience = 'parley-cli';
const tokenLife = '1h';

/**
 * Opens the operator API in this process, over a deployment's stores. A user who can reach both stores and has the secret key is an
 * operator with every scope, under their name on this system: the token is issued by an issuer that lives as long as the command.
 * @throws CommandFailed when there is no deployment
 */
export async function openLocalApi(asked: Configuration): Promise<OperatorApi> {
  const issuer = await startIssuer();
  try {
    const named = { OPERATOR_ISSUER: issuer.url, OPERATOR_AUDIENCE: audience, LOG_LEVEL: 'silent' };
    const found = await findDeployment(asked);
    const app = await openApi(readConfiguration({ ...process.env, ...found, ...named }));
    await hearProjector(app.get(ReadGate, { strict: false }));
    return {
      origin: placeOf(found['DATABASE_URL'] ?? ''),
      call: async (call) => {
        const { method, path, body } = call;
        const headers = { authorization: `Bearer ${issuer.token}` };
        const answer = await app.inject({
          method,
          url: path,
          headers,
          ...(body && { payload: body }),
          payloadAsStream: true,
        });
        return { status: answer.statusCode, body: await taken(call, answer.statusCode, answer.stream()) };
      },
      close: async () => {
        await app.close();
        issuer.close();
      },
    };
  } catch (error) {
    issuer.close();
    throw error;
  }
}

/** The address of a database, without credentials. */
function placeOf(databaseUrl: string): string {
  const { protocol, host, pathname } = new URL(databaseUrl);
  return `${protocol}//${host}${pathname}`;
}

/** Starts an OpenID issuer on loopback with one key, and the only token that it ever signs. */
async function startIssuer() {
  const { privateKey, publicKey } = await generateKeyPair(algorithm);
  const keys = { keys: [{ ...(await exportJWK(publicKey)), alg: algorithm, use: 'sig', kid: audience }] };
  const server = createServer((request, response) => {
    const isKeys = request.url === '/jwks';
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(isKeys ? keys : { issuer: url, jwks_uri: `${url}/jwks` }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  const token = await new SignJWT({ scope: operatorScopes.join(' ') })
    .setProtectedHeader({ alg: algorithm, kid: audience, typ: 'JWT' })
    .setIssuer(url)
    .setAudience(audience)
    .setSubject(userInfo().username)
    .setIssuedAt()
    .setExpirationTime(tokenLife)
    .sign(privateKey);
  return { url, token, close: () => void server.close(() => undefined) };
}
