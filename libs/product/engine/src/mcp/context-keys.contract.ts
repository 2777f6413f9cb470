import { operation, type OperationGroup } from '@app/http';
import { text } from '@app/schema';
import { ContextKeySet } from './context-keys';

export const toolServersGroup: OperationGroup = {
  name: 'toolServers',
  description: 'What servers of tools need to know whose call it is; open to everybody',
};

/** Caching is safe because a key is published long before it signs, and a verifier that meets an unknown key fetches again. */
export const keysCaching = 'public, max-age=300';

export const readContextKeys = operation('toolServers.keys', {
  route: 'GET /.well-known/jwks.json',
  summary: 'The public keys of the header Parley-Context',
  description:
    'A JSON Web Key Set (RFC 7517). Calls to MCP servers over HTTP carry the header, a JSON Web Token (ES256) that lives for a minute: ' +
    'its audience is the name of the server, its subject the user.',
  answer: ContextKeySet,
  answerHeaders: { 'Cache-Control': text({ description: 'For caches', examples: [keysCaching] }) },
  beyondSpecification: 'tools of partners know by it whose call it is',
  examples: {
    answer: {
      keys: [
        {
          kty: 'EC',
          crv: 'P-256',
          alg: 'ES256',
          use: 'sig',
          kid: 'oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U',
          x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
          y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
        },
      ],
    },
  },
});
