import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DeploymentControls } from '@app/deployment';
import type { Cause } from '@app/kernel';
import { ReadGate } from '@app/read-store';
import { inputIdOf } from '../inputs/input.stream';
import { InputRecorder } from '../inputs/input-recorder';
import type { InboundEvent } from '../inputs/input.stream';
import type { WebhookKey } from '../inputs/webhook-keys';
import type { Signalled } from './signal-automation';

/**
 * Records a webhook's event, whatever the automation's state, and answers once it is visible; an event that arrives
 * while nothing can fire never fires.
 * @throws Unavailable
 */
export class DeliverWebhook extends Command<Signalled> {
  /** @param key the key that the request is signed with */
  constructor(
    readonly key: WebhookKey,
    readonly event: InboundEvent,
    readonly cause: Cause,
  ) {
    super();
  }
}

@CommandHandler(DeliverWebhook)
export class DeliverWebhookHandler implements ICommandHandler<DeliverWebhook> {
  constructor(
    private readonly inputs: InputRecorder,
    private readonly controls: DeploymentControls,
    private readonly gate: ReadGate,
  ) {}

  async execute({ key, event, cause }: DeliverWebhook): Promise<Signalled> {
    const { userId, automationId, epoch, awake } = key;
    const inputId = inputIdOf(automationId, 'webhook', event.id);
    const dormant = !awake || (await this.controls.isPaused('automations'));
    const input = { source: 'webhook', inputId, epoch, event, ...(dormant && { dormant }) } as const;
    const { status, recorded } = await this.inputs.record({ userId, automationId, cause }, input);
    await this.gate.waitForProjection(recorded?.position ?? null);
    return { status, inputId };
  }
}
