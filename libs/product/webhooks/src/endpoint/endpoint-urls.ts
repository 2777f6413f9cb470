import { Injectable } from '@nestjs/common';
import { invalid, type Refusal } from '@app/kernel';
import { isHttpUrl, wrongInHttpUrl } from '@app/runtime';
import { Configuration } from '@app/settings';
import { isPrivateHost } from './public-addresses';
import { urlLengthMax } from './endpoint.decider';

/** Why a text cannot be an endpoint's address in any deployment, in words; null if it can. */
export function wrongInUrl(text: string): string | null {
  if (text.length > urlLengthMax || !isHttpUrl(text))
    return `must be a URL of ${urlLengthMax} characters at most that begins with http:// or https://`;
  const wrong = wrongInHttpUrl(text);
  if (wrong !== null) return wrong;
  return text.includes('#') ? 'must have no fragment' : null;
}

/** The addresses that an endpoint can have in this deployment (docs/decisions/telling-partners.md, "Endpoints"). */
@Injectable()
export class EndpointUrls {
  constructor(private readonly configuration: Configuration) {}

  /** Why nothing can be sent to a URL; null if something can. A name is resolved at each delivery, not here. */
  issueIn(url: string): Refusal | null {
    const wrong = wrongInUrl(url);
    if (wrong !== null) return invalid('/url', wrong);
    const { env, sandbox } = this.configuration;
    const { protocol, hostname } = new URL(url);
    if (!sandbox && protocol !== 'https:') return invalid('/url', 'must begin with https://');
    const leadsAnywhere = (env.WEBHOOK_ALLOW_PRIVATE ?? sandbox) || !isPrivateHost(hostname);
    return leadsAnywhere ? null : invalid('/url', 'must lead to a public address');
  }
}
