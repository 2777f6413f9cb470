import { Injectable } from '@nestjs/common';
import { invalid, type Refusal } from '@app/kernel';
import { Configuration } from '@app/runtime';
import { urlLengthMax } from './endpoint.decider';

/** Which addresses an endpoint can have in this deployment (docs/decisions/telling-partners.md, "Endpoints"). */
@Injectable()
export class EndpointUrls {
  constructor(private readonly configuration: Configuration) {}

  /** Why nothing can be sent to a URL; null where it can. A name is looked up at each delivery, not here. */
  issueIn(url: string): Refusal | null {
    const parsed = url.length <= urlLengthMax && URL.canParse(url) ? new URL(url) : null;
    const schemes = this.configuration.sandbox ? ['http:', 'https:'] : ['https:'];
    if (parsed === null || !schemes.includes(parsed.protocol))
      return invalid('/url', `must be a URL of ${urlLengthMax} characters at most that begins with ${said(schemes)}`);
    if (parsed.username !== '' || parsed.password !== '') return invalid('/url', 'must hold no user and no password');
    return url.includes('#') ? invalid('/url', 'must have no fragment') : null;
  }
}

function said(schemes: readonly string[]): string {
  return schemes.map((scheme) => `${scheme}//`).join(' or ');
}
