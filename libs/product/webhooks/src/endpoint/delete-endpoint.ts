import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Streams } from '@app/event-store';
import { Clock, ok, refuse, type Cause, type EndpointId, type Result } from '@app/kernel';
import { endpointKind } from './endpoint.stream';
import { EndpointSecrets } from './endpoint-secrets';

/**
 * Permanently stops deliveries to an endpoint and deletes its secrets. Idempotent. Refuses with `not_found`. @throws
 * Unavailable
 */
export class DeleteEndpoint extends Command<Result<void>> {
  constructor(
    readonly endpointId: EndpointId,
    readonly reason: string,
    readonly cause: Cause,
  ) {
    super();
  }
}

@CommandHandler(DeleteEndpoint)
export class DeleteEndpointHandler implements ICommandHandler<DeleteEndpoint> {
  constructor(
    private readonly streams: Streams,
    private readonly secrets: EndpointSecrets,
    private readonly clock: Clock,
  ) {}

  async execute({ endpointId, reason, cause }: DeleteEndpoint): Promise<Result<void>> {
    const command = { type: 'DeleteEndpoint', at: this.clock.now(), reason } as const;
    const done = await this.streams.decide(endpointKind, endpointId, command, cause, { visible: true });
    if (!done.ok) return refuse(done.refusal);
    await this.secrets.forget(endpointId);
    return ok(undefined);
  }
}
