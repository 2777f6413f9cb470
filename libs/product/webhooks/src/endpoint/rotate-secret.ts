import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Streams } from '@app/event-store';
import { notFound, ok, refuse, type Cause, type EndpointId, type Instant, type Result } from '@app/kernel';
import { isPresent } from './endpoint.state';
import { endpointKind } from './endpoint.stream';
import { EndpointSecrets } from './endpoint-secrets';

/**
 * Signs with a key that was made before and, for 24 hours, also with the previous newest one. Idempotent. Refuses with
 * `not_found`, and with `rate_limited` if the maximum number of keys sign already. @throws Unavailable
 */
export class RotateEndpointSecret extends Command<Result<void>> {
  constructor(
    readonly request: {
      readonly endpointId: EndpointId;
      readonly at: Instant;
      readonly keyId: string;
      readonly reason: string;
      readonly cause: Cause;
    },
  ) {
    super();
  }
}

@CommandHandler(RotateEndpointSecret)
export class RotateEndpointSecretHandler implements ICommandHandler<RotateEndpointSecret> {
  constructor(
    private readonly streams: Streams,
    private readonly secrets: EndpointSecrets,
  ) {}

  async execute({ request: { endpointId, cause, ...rotation } }: RotateEndpointSecret): Promise<Result<void>> {
    const command = { type: 'RotateSecret', ...rotation } as const;
    const done = await this.streams.decide(endpointKind, endpointId, command, cause, { visible: true });
    if (!done.ok || !isPresent(done.value.state)) {
      await this.secrets.drop(rotation.keyId);
      return refuse(done.ok ? notFound : done.refusal);
    }
    await this.secrets.keepTo(endpointId, done.value.state.keys);
    return ok(undefined);
  }
}
