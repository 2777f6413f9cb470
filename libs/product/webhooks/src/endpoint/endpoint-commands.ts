import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Streams } from '@app/event-store';
import { because, Clock, notFound, ok, refuse, type Cause, type EndpointId, type Result } from '@app/kernel';
import type { EndpointCommand } from './endpoint.decider';
import type { DisabledBecause } from './endpoint.events';
import { EndpointSecrets } from './endpoint-secrets';
import { isPresent } from './endpoint.state';
import { endpointKind } from './endpoint.stream';
import { EndpointUrls } from './endpoint-urls';

/** A command of the decider, the endpoint that it is for, and its cause. */
type Asked<Type extends EndpointCommand['type']> = Omit<Extract<EndpointCommand, { readonly type: Type }>, 'type'> & {
  readonly endpointId: EndpointId;
  readonly cause: Cause;
};

const visible = { visible: true } as const;

/**
 * Starts delivering events to an address from now on. The key must have been made before. Idempotent. Refuses with
 * `invalid_input`, and with `rate_limited` if the deployment has the maximum number of endpoints. @throws Unavailable
 */
export class CreateEndpoint extends Command<Result<void>> {
  constructor(readonly request: Asked<'CreateEndpoint'>) {
    super();
  }
}

@CommandHandler(CreateEndpoint)
class CreateEndpointHandler implements ICommandHandler<CreateEndpoint> {
  constructor(
    private readonly streams: Streams,
    private readonly secrets: EndpointSecrets,
    private readonly urls: EndpointUrls,
  ) {}

  async execute({ request }: CreateEndpoint): Promise<Result<void>> {
    const { endpointId, cause, ...creation } = request;
    const issue = this.urls.issueIn(creation.settings.url);
    if (issue !== null) return refuse(issue);
    if (!(await this.secrets.admit(endpointId, creation.keyId))) return refuse(because('rate_limited'));
    const command = { type: 'CreateEndpoint', ...creation } as const;
    const decided = await this.streams.decide(endpointKind, endpointId, command, cause, visible);
    if (decided.ok) return ok(undefined);
    await this.secrets.drop(creation.keyId);
    return refuse(decided.refusal);
  }
}

/**
 * Changes the given settings and keeps the others: from the next attempt on, messages use the new ones. An endpoint
 * enabled again gets events from then on. Idempotent. Refuses with `not_found` and `invalid_input`. @throws Unavailable
 */
export class ChangeEndpoint extends Command<Result<void>> {
  constructor(readonly request: Omit<Asked<'ChangeEndpoint'>, 'at'>) {
    super();
  }
}

@CommandHandler(ChangeEndpoint)
class ChangeEndpointHandler implements ICommandHandler<ChangeEndpoint> {
  constructor(
    private readonly streams: Streams,
    private readonly urls: EndpointUrls,
    private readonly clock: Clock,
  ) {}

  async execute({ request: { endpointId, cause, ...change } }: ChangeEndpoint): Promise<Result<void>> {
    const { url } = change.settings;
    const issue = url === undefined ? null : this.urls.issueIn(url);
    if (issue !== null) return refuse(issue);
    const command = { type: 'ChangeEndpoint', at: this.clock.now(), ...change } as const;
    const done = await this.streams.decide(endpointKind, endpointId, command, cause, visible);
    return done.ok ? ok(undefined) : refuse(done.refusal);
  }
}

/**
 * Signs with a key that was made before and, for 24 hours, also with the previous newest one. Idempotent. Refuses with
 * `not_found`, and with `rate_limited` if the maximum number of keys sign already. @throws Unavailable
 */
export class RotateEndpointSecret extends Command<Result<void>> {
  constructor(readonly request: Asked<'RotateSecret'>) {
    super();
  }
}

@CommandHandler(RotateEndpointSecret)
class RotateEndpointSecretHandler implements ICommandHandler<RotateEndpointSecret> {
  constructor(
    private readonly streams: Streams,
    private readonly secrets: EndpointSecrets,
  ) {}

  async execute({ request: { endpointId, cause, ...rotation } }: RotateEndpointSecret): Promise<Result<void>> {
    const command = { type: 'RotateSecret', ...rotation } as const;
    const done = await this.streams.decide(endpointKind, endpointId, command, cause, visible);
    if (!done.ok || !isPresent(done.value.state)) {
      await this.secrets.drop(rotation.keyId);
      return refuse(done.ok ? notFound : done.refusal);
    }
    await this.secrets.keepTo(endpointId, done.value.state.keys);
    return ok(undefined);
  }
}

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
class DisableEndpointHandler implements ICommandHandler<DisableEndpoint> {
  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
  ) {}

  async execute({ endpointId, because: why, cause }: DisableEndpoint): Promise<Result<void>> {
    const command = { type: 'DisableEndpoint', at: this.clock.now(), because: why } as const;
    const done = await this.streams.decide(endpointKind, endpointId, command, cause, visible);
    return done.ok ? ok(undefined) : refuse(done.refusal);
  }
}

/** Permanently stops deliveries to an endpoint and deletes its secrets. Idempotent. Refuses with `not_found`. @throws Unavailable */
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
class DeleteEndpointHandler implements ICommandHandler<DeleteEndpoint> {
  constructor(
    private readonly streams: Streams,
    private readonly secrets: EndpointSecrets,
    private readonly clock: Clock,
  ) {}

  async execute({ endpointId, reason, cause }: DeleteEndpoint): Promise<Result<void>> {
    const command = { type: 'DeleteEndpoint', at: this.clock.now(), reason } as const;
    const done = await this.streams.decide(endpointKind, endpointId, command, cause, visible);
    if (!done.ok) return refuse(done.refusal);
    await this.secrets.forget(endpointId);
    return ok(undefined);
  }
}

/** The handlers of these commands. */
export const endpointCommandHandlers = [
  ChangeEndpointHandler,
  CreateEndpointHandler,
  DeleteEndpointHandler,
  DisableEndpointHandler,
  RotateEndpointSecretHandler,
];
