import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Operator } from '@app/http';
import { asId, ok, type EndpointId, type JsonObject, type Result } from '@app/kernel';
import { EndpointSecrets } from '@app/webhooks';
import { v7 as uuidV7 } from 'uuid';
import { MakeChange } from '../changes/make-change';

/** A new secret, which cannot be shown again. */
interface MadeSecret {
  readonly endpointId: EndpointId;
  readonly secret: string;
  readonly at: string;
}

/** Creates an endpoint with a secret of its own. Refuses as `CreateEndpoint` does. @throws Unavailable */
export class MakeEndpoint extends Command<Result<MadeSecret>> {
  constructor(
    readonly operator: Operator,
    readonly settings: JsonObject,
    readonly reason: string,
  ) {
    super();
  }
}

/** Gives an endpoint another secret. Refuses as `RotateEndpointSecret` does. @throws Unavailable */
export class MakeEndpointSecret extends Command<Result<MadeSecret>> {
  constructor(
    readonly operator: Operator,
    readonly endpointId: EndpointId,
    readonly reason: string,
  ) {
    super();
  }
}

@CommandHandler(MakeEndpoint)
export class MakeEndpointHandler implements ICommandHandler<MakeEndpoint> {
  constructor(
    private readonly commands: CommandBus,
    private readonly secrets: EndpointSecrets,
  ) {}

  async execute({ operator, settings, reason }: MakeEndpoint): Promise<Result<MadeSecret>> {
    const endpointId = asId<EndpointId>(uuidV7());
    const change = { operation: 'webhooks.create', target: endpointId, parameters: settings, reason } as const;
    return withSecret(this.secrets, endpointId, (keyId) => {
      const parameters = { ...change.parameters, keyId };
      return this.commands.execute(new MakeChange(operator, { ...change, parameters }));
    });
  }
}

@CommandHandler(MakeEndpointSecret)
export class MakeEndpointSecretHandler implements ICommandHandler<MakeEndpointSecret> {
  constructor(
    private readonly commands: CommandBus,
    private readonly secrets: EndpointSecrets,
  ) {}

  async execute({ operator, endpointId, reason }: MakeEndpointSecret): Promise<Result<MadeSecret>> {
    const change = { operation: 'webhooks.rotate', target: endpointId, reason } as const;
    return withSecret(this.secrets, endpointId, (keyId) =>
      this.commands.execute(new MakeChange(operator, { ...change, parameters: { keyId } })),
    );
  }
}

/**
 * Makes a change that needs a new secret. The log names only the key; the secret is sealed beforehand, so that any
 * process can complete the change, and is shown only in this answer.
 */
async function withSecret(
  secrets: EndpointSecrets,
  endpointId: EndpointId,
  change: (keyId: string) => Promise<Result<{ readonly at: string }>>,
): Promise<Result<MadeSecret>> {
  const { keyId, secret } = await secrets.make(endpointId);
  const made = await change(keyId);
  if (made.ok) return ok({ endpointId, secret, at: made.value.at });
  // The command has already dropped the key, unless the intent was not even logged.
  await secrets.drop(keyId);
  return made;
}
