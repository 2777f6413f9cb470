import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { decodeEvent, EventStore, streamName, Streams } from '@app/event-store';
import { Clock, ok, type InputId, type Result } from '@app/kernel';
import { ReadGate } from '@app/read-store';
import { shape, uuid, type Shaped } from '@app/schema';
import { automationKind } from '../automation/automation.stream';
import { invocation } from '../inputs/input-match';
import { InputRecorder, recording, type GivenInput, type PositionedInput } from '../inputs/input-recorder';
import { inputKind, type InputRecorded } from '../inputs/input.stream';

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
export class InvokeAutomationHandler implements ICommandHandler<InvokeAutomation> {
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
