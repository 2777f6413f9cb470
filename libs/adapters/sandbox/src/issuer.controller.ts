import { Controller, Get, UseGuards } from '@nestjs/common';
import { Operation } from '@app/http';
import { Issuer, IssuerDiscovery, IssuerKeys } from './issuer';
import { LoopbackOnly } from './loopback.guard';

/** The example of RFC 7515, appendix A.3. */
const exampleKey = {
  ...{ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig', kid: 'oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U' },
  x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
  y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
};

/** The built-in issuer as any OpenID client finds it (OpenID Connect Discovery 1.0, RFC 7517). */
@Controller('sandbox/issuer')
@UseGuards(LoopbackOnly)
export class IssuerController {
  constructor(private readonly issuer: Issuer) {}

  @Get('.well-known/openid-configuration')
  @Operation('sandbox.discovery', {
    summary: "The built-in issuer's discovery document",
    answer: IssuerDiscovery,
    answerExample: {
      issuer: 'http://127.0.0.1:8080/sandbox/issuer',
      jwks_uri: 'http://127.0.0.1:8080/sandbox/issuer/jwks',
      response_types_supported: ['token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
    },
  })
  discovery(): IssuerDiscovery {
    return this.issuer.discovery();
  }

  @Get('jwks')
  @Operation('sandbox.jwks', {
    summary: "The built-in issuer's public key",
    answer: IssuerKeys,
    answerExample: { keys: [exampleKey] },
  })
  jwks(): IssuerKeys {
    return this.issuer.jwks();
  }
}
