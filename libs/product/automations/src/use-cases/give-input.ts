import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DeploymentControls } from '@app/deployment';
import { decodeEvent, EventStore, streamName, Streams } from '@app/event-store';
import { Clock, ok, type Cause, type InputId, type Result } from '@app/kernel';
import { ReadGate } from '@app/read-store';
import { shape, uuid, type Shaped } from '@app/schema';
import { InputRecorder, recording, type GivenInput, type PositionedInput } from '../inputs/input-recorder';
import { inputIdOf, inputKind, type InboundEvent, type InputRecorded } from '../inputs/input.stream';
import type { WebhookKey } from '../inputs/webhook-keys';
import { automationKind } from '../automation/automation.stream';
import { invocation } from '../inputs/input-match';

/** The answer of `automations.signal` and of webhooks. */
export const Signalled = shape('RecordedInput', { status: recording, inputId: uuid() });
export type Signalled = Shaped<typeof Signalled>;

/** Records an event for the rule to evaluate, and answers once it is visible. Refuses as `InputRecorder.hand`. @throws Unavailable */
export class SignalAutomation extends Command<Result<Signalled>> {
  constructor(readonly handed: GivenInput) {
    super();
  }
}

@CommandHandler(SignalAutomation)
class SignalAutomationHandler implements ICommandHandler<SignalAutomation> {
  constructor(
    private readonly inputs: InputRecorder,
    private readonly gate: ReadGate,
  ) {}

  async execute({ handed }: SignalAutomation): Promise<Result<Signalled>> {
    const done = await this.inputs.give('signal', handed);
    if (!done.ok) return done;
    const { status, inputId, recorded } = done.value;
    await this.gate.waitForProjection(recorded?.position ?? null);
    return ok({ status, inputId });
  }
}

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
class DeliverWebhookHandler implements ICommandHandler<DeliverWebhook> {
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

/** The answer of `automations.invoke`. */
export const Invoked = shape('Invocation', {
  status: recording,
  occurrenceId: uuid({ description: 'Of the occurrence that it led to, which is in every list by now' }),
});
export type Invoked = Shaped<typeof Invoked>;

/**
 * Creates an occurrence whatever the rule's verdict, before it answers; `rejected` with its reason where it cannot be
 * accepted. A repeated key also completes a first attempt that crashed before its occurrence. Refuses as
 * `InputRecorder.hand`.
 * @throws Unavailable
 */
export class InvokeAutomation extends Command<Result<Invoked>> {
  constructor(readonly handed: GivenInput) {
    super();
  }
}

@CommandHandler(InvokeAutomation)
class InvokeAutomationHandler implements ICommandHandler<InvokeAutomation> {
  constructor(
    private readonly inputs: InputRecorder,
    private readonly streams: Streams,
    private readonly store: EventStore,
    private readonly clock: Clock,
    private readonly gate: ReadGate,
  ) {}

  async execute({ handed }: InvokeAutomation): Promise<Result<Invoked>> {
    const done = await this.inputs.give('invoke', handed);
    if (!done.ok) return done;
    const { status, inputId, recorded } = done.value;
    const { event, position } = recorded ?? (await this.read(inputId));
    const { automationId, cause } = handed;
    const command = invocation(event, position, this.clock.now());
    const arisen = await this.streams.decide(automationKind, automationId, command, cause);
    if (!arisen.ok) throw new Error(`the invocation ${inputId} was refused`);
    await (arisen.value.position === null ? this.gate.caughtUp() : this.gate.waitForProjection(arisen.value.position));
    return ok({ status, occurrenceId: command.occurrenceId });
  }

  private async read(inputId: InputId): Promise<PositionedInput> {
    const [stored] = await this.store.readStream(streamName(inputKind, inputId), 0, 1);
    if (stored === undefined) throw new Error(`the input ${inputId} is gone`);
    return decodeEvent<InputRecorded>(inputKind, stored);
  }
}

export const inputHandlers = [SignalAutomationHandler, DeliverWebhookHandler, InvokeAutomationHandler];
