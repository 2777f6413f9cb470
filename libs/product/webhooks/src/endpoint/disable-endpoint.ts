import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Streams } from '@app/event-store';
import { Clock, ok, refuse, type Cause, type EndpointId, type Result } from '@app/kernel';
import type { DisabledBecause } from './endpoint.events';
import { endpointKind } from './endpoint.stream';

/**
 * Stops deliveries to an endpoint until an operator enables it, because it answered that it is gone or failed every
 * attempt for days. Idempotent. Refuses with `not_found`, also if it was deleted. @throws Unavailable
 */
export class DisableEndpoint extends Command<Result<void>> {
  constructor(
    readonly endpointId: EndpointId,
    readonly because: Exclude<DisabledBecause, 'operator'>,
    readonly cause: Cause,
  ) {
    super();
  }
}

@CommandHandler(DisableEndpoint)
export class DisableEndpointHandler implements ICommandHandler<DisableEndpoint> {
  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
  ) {}

  async execute({ endpointId, because, cause }: DisableEndpoint): Promise<Result<void>> {
    const command = { type: 'DisableEndpoint', at: this.clock.now(), because } as const;
    const done = await this.streams.decide(endpointKind, endpointId, command, cause, { visible: true });
    return done.ok ? ok(undefined) : refuse(done.refusal);
  }
}
