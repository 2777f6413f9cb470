import { operation } from '@app/http';
import { IssuerDiscovery, IssuerKeys } from './issuer';

/** The example of RFC 7515, appendix A.3. */
const exampleKey = {
  kty: 'EC',
  crv: 'P-256',
  alg: 'ES256',
  use: 'sig',
  kid: 'oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U',
  x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
  y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
};

export const discoverIssuer = operation('sandbox.discovery', {
  route: 'GET /sandbox/issuer/.well-known/openid-configuration',
  summary: "The built-in issuer's discovery document",
  answer: IssuerDiscovery,
  examples: {
    answer: {
      issuer: 'http://127.0.0.1:8080/sandbox/issuer',
      jwks_uri: 'http://127.0.0.1:8080/sandbox/issuer/jwks',
      response_types_supported: ['token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
    },
  },
});

export const readIssuerKeys = operation('sandbox.jwks', {
  route: 'GET /sandbox/issuer/jwks',
  summary: "The built-in issuer's public key",
  answer: IssuerKeys,
  examples: { answer: { keys: [exampleKey] } },
});
