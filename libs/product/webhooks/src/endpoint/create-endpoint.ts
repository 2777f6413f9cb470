import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Streams } from '@app/event-store';
import { because, ok, refuse, type Cause, type EndpointId, type Instant, type Result } from '@app/kernel';
import type { EndpointSettings } from './endpoint.events';
import { endpointKind } from './endpoint.stream';
import { EndpointSecrets } from './endpoint-secrets';
import { EndpointUrls } from './endpoint-urls';

/**
 * Starts delivering events to an address from now on. The key must have been made before. Idempotent. Refuses with
 * `invalid_input`, and with `rate_limited` if the deployment has the maximum number of endpoints. @throws Unavailable
 */
export class CreateEndpoint extends Command<Result<void>> {
  constructor(
    readonly request: {
      readonly endpointId: EndpointId;
      readonly at: Instant;
      readonly settings: EndpointSettings;
      readonly keyId: string;
      readonly reason: string;
      readonly cause: Cause;
    },
  ) {
    super();
  }
}

@CommandHandler(CreateEndpoint)
export class CreateEndpointHandler implements ICommandHandler<CreateEndpoint> {
  constructor(
    private readonly streams: Streams,
    private readonly secrets: EndpointSecrets,
    private readonly urls: EndpointUrls,
  ) {}

  async execute({ request }: CreateEndpoint): Promise<Result<void>> {
    const { endpointId, cause, ...creation } = request;
    const done = await this.admitted(request);
    if (!done.ok) return done;
    const command = { type: 'CreateEndpoint', ...creation } as const;
    const decided = await this.streams.decide(endpointKind, endpointId, command, cause, { visible: true });
    if (decided.ok) return ok(undefined);
    await this.secrets.drop(creation.keyId);
    return refuse(decided.refusal);
  }

  private async admitted({ endpointId, settings, keyId }: CreateEndpoint['request']): Promise<Result<void>> {
    const issue = this.urls.issueIn(settings.url);
    if (issue !== null) return refuse(issue);
    return (await this.secrets.admit(endpointId, keyId)) ? ok(undefined) : refuse(because('rate_limited'));
  }
}
