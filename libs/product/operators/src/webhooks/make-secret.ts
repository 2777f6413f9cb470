import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Operator } from '@app/http';
import { ok, type EndpointId, type JsonObject, type Result } from '@app/kernel';
import { EndpointSecrets } from '@app/webhooks';
import { MakeChange } from '../changes/make-change';

/** A new secret, which cannot be shown again. */
interface MadeSecret {
  readonly secret: string;
  readonly at: string;
}

/**
 * Creates an endpoint with a secret of its own, or gives one another secret. Refuses as `CreateEndpoint` and
 * `RotateEndpointSecret` do. @throws Unavailable
 */
export class MakeSecret extends Command<Result<MadeSecret>> {
  constructor(
    readonly operator: Operator,
    readonly endpointId: EndpointId,
    readonly change: {
      readonly operation: 'webhooks.create' | 'webhooks.rotate';
      readonly parameters?: JsonObject;
      readonly reason: string;
    },
  ) {
    super();
  }
}

@CommandHandler(MakeSecret)
export class MakeSecretHandler implements ICommandHandler<MakeSecret> {
  constructor(
    private readonly commands: CommandBus,
    private readonly secrets: EndpointSecrets,
  ) {}

  /**
   * The log names only the key; the secret is sealed beforehand, so that any process can complete the change, and is
   * shown only in this answer.
   */
  async execute({ operator, endpointId, change }: MakeSecret): Promise<Result<MadeSecret>> {
    const { keyId, secret } = await this.secrets.make(endpointId);
    const parameters = { ...change.parameters, keyId };
    const made = await this.commands.execute(new MakeChange(operator, { ...change, target: endpointId, parameters }));
    if (made.ok) return ok({ secret, at: made.value.at });
    // The command has already dropped the key, unless the intent was not even logged.
    await this.secrets.drop(keyId);
    return made;
  }
}
