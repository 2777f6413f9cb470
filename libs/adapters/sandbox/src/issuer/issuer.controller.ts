import { Controller, UseGuards } from '@nestjs/common';
import { Serves } from '@app/http';
import { Issuer, IssuerDiscovery, IssuerKeys } from './issuer';
import { LoopbackOnly } from '../loopback.guard';
import { discoverIssuer, readIssuerKeys } from './issuer.contract';

/** The built-in issuer as any OpenID client finds it (OpenID Connect Discovery 1.0, RFC 7517). */
@Controller()
@UseGuards(LoopbackOnly)
export class IssuerController {
  constructor(private readonly issuer: Issuer) {}

  @Serves(discoverIssuer)
  discovery(): IssuerDiscovery {
    return this.issuer.discovery();
  }

  @Serves(readIssuerKeys)
  jwks(): IssuerKeys {
    return this.issuer.jwks();
  }
}
