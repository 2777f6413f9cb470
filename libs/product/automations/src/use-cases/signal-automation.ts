import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ok, type Result } from '@app/kernel';
import { ReadGate } from '@app/read-store';
import { shape, uuid, type Shaped } from '@app/schema';
import { InputRecorder, recording, type GivenInput } from '../inputs/input-recorder';

/** The answer of `automations.signal` and of webhooks. */
export const Signalled = shape('RecordedInput', { status: recording, inputId: uuid() });
export type Signalled = Shaped<typeof Signalled>;

/**
 * Records an event for the rule to evaluate, and answers once it is visible. Refuses as `InputRecorder.hand`.
 * @throws Unavailable
 */
export class SignalAutomation extends Command<Result<Signalled>> {
  constructor(readonly handed: GivenInput) {
    super();
  }
}

@CommandHandler(SignalAutomation)
export class SignalAutomationHandler implements ICommandHandler<SignalAutomation> {
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
