import { Injectable } from '@nestjs/common';
import { invalid, type Refusal } from '@app/kernel';
import { Configuration } from '@app/settings';
import { isIP } from 'node:net';
import { isPublicAddress } from './public-addresses';
import { urlLengthMax } from './endpoint.decider';

/** How a URL with a host begins; the parser also accepts `https:host` and `https:///host`. */
const beginning = /^https?:\/\/[^/?#\\]/i;
/** The parser drops or changes these characters, so that the address requested would differ from the one reviewed. */
const unspelled = /[\s\\\u0000-\u001f\u007f-\u009f]/;

/** An empty label of a host, which no name server knows. A single dot at the end of a host makes none. */
const emptyLabel = /^\.|\.\./;

/** Why a text cannot be an endpoint's address in any deployment, in words; null if it can. */
export function wrongInUrl(text: string): string | null {
  const url = text.length <= urlLengthMax && URL.canParse(text) ? new URL(text) : null;
  if (url === null || !beginning.test(text))
    return `must be a URL of ${urlLengthMax} characters at most that begins with http:// or https://`;
  if (unspelled.test(text)) return 'must hold no space, no control character and no backslash: percent-encode them';
  // `https://@host/` names an empty user, which the parser drops.
  if (/^[^/]*\/\/[^/?#]*@/.test(text)) return 'must hold no user and no password';
  if (emptyLabel.test(url.hostname)) return 'must name a host without an empty label: no dot first, no two in a row';
  if (url.port === '0') return 'must hold no port 0';
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
    const leadsAnywhere = (env.WEBHOOK_ALLOW_PRIVATE ?? sandbox) || !isPrivate(hostname);
    return leadsAnywhere ? null : invalid('/url', 'must lead to a public address');
  }
}

/** Whether the host is an address, in any spelling, that is not on the public internet. */
function isPrivate(hostname: string): boolean {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(address) !== 0 && !isPublicAddress(address);
}
