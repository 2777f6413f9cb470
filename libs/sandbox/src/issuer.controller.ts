import { Controller, Get, UseGuards } from '@nestjs/common';
import { Operation } from '@app/http';
import { Issuer } from './issuer';
import { LoopbackOnly } from './loopback.guard';

/** The built-in issuer as any OpenID client finds it (OpenID Connect Discovery 1.0, RFC 7517). */
@Controller('sandbox/issuer')
@UseGuards(LoopbackOnly)
export class IssuerController {
  constructor(private readonly issuer: Issuer) {}

  @Get('.well-known/openid-configuration')
  @Operation('sandbox.discovery')
  discovery(): object {
    return this.issuer.discovery();
  }

  @Get('jwks')
  @Operation('sandbox.jwks')
  jwks(): object {
    return this.issuer.jwks();
  }
}
