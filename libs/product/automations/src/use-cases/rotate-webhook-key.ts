import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Streams } from '@app/event-store';
import { Clock, notFound, ok, refuse, type AutomationId, type Cause, type Result, type UserId } from '@app/kernel';
import { shape, text, uuid, type Shaped } from '@app/schema';
import { randomBytes } from 'node:crypto';
import { v7 as uuidV7 } from 'uuid';
import { automationKind } from '../automation/automation.stream';
import { definitionVersion } from '../definition/automation-shapes';
import { secretBytes, WebhookKeys } from '../inputs/webhook-keys';

/** The answer of `automations.rotateWebhookSecret`: the secret is shown only this once. */
export const WebhookSecret = shape('WebhookSecret', {
  secret: text({
    pattern: /^[A-Za-z0-9_-]{43}$/,
    description: 'The 32 bytes of the signing key in base64url, without `-` and `_`; shown this once',
  }),
  signingSecret: text({
    pattern: /^whsec_[A-Za-z0-9+/]{43}=$/,
    description: 'The same bytes as the libraries of Standard Webhooks take them: `whsec_` and standard base64',
  }),
  keyId: uuid(),
  path: text({ pattern: /^\/hooks\/v1\/[0-9a-f-]{36}$/, description: "Where the automation's events are delivered" }),
  definitionVersion,
});
export type WebhookSecret = Shaped<typeof WebhookSecret>;

/**
 * Generates a new key and secret; the earlier ones are refused from the next request on. Refuses with `not_found`, and
 * with `automation_changed`: another revision, not enabled, or no event wake.
 * @throws Unavailable
 */
export class RotateWebhookKey extends Command<Result<WebhookSecret>> {
  constructor(
    readonly userId: UserId,
    readonly automationId: AutomationId,
    readonly revision: string,
    readonly cause: Cause,
  ) {
    super();
  }
}

@CommandHandler(RotateWebhookKey)
export class RotateWebhookKeyHandler implements ICommandHandler<RotateWebhookKey> {
  constructor(
    private readonly streams: Streams,
    private readonly keys: WebhookKeys,
    private readonly clock: Clock,
  ) {}

  async execute({ userId, automationId, revision, cause }: RotateWebhookKey): Promise<Result<WebhookSecret>> {
    const keyId = uuidV7();
    const secret = newSecret();
    // Stored before the event, so that every key that the stream names has its secret.
    await this.keys.keep(keyId, automationId, secret);
    const command = { type: 'RotateWebhookKey', at: this.clock.now(), userId, revision, keyId } as const;
    const done = await this.streams.decide(automationKind, automationId, command, cause, { visible: true });
    if (!done.ok || done.value.state === null) {
      await this.keys.drop(keyId);
      return refuse(done.ok ? notFound : done.refusal);
    }
    await this.keys.forgetBefore(keyId, automationId);
    return ok({
      secret: secret.toString('base64url'),
      signingSecret: `whsec_${secret.toString('base64')}`,
      keyId,
      path: `/hooks/v1/${keyId}`,
      definitionVersion: done.value.state.definitionVersion,
    });
  }
}

/**
 * Bytes that both alphabets of base64 spell alike, because the libraries of Standard Webhooks read only the standard
 * one and are given `secret` as often as `signingSecret`. Takes four tries on average, and costs two of the 256 bits.
 */
function newSecret(): Buffer {
  for (;;) {
    const secret = randomBytes(secretBytes);
    if (!/[-_]/.test(secret.toString('base64url'))) return secret;
  }
}
