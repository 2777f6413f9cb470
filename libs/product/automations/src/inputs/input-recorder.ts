import { Injectable } from '@nestjs/common';
import { DeploymentControls } from '@app/deployment';
import { FoldedStates, Streams } from '@app/event-store';
import { because, Clock, notFound, ok, refuse } from '@app/kernel';
import type { AutomationId, Cause, InputId, Instant, JsonObject, Refusal, Result, UserId } from '@app/kernel';
import { oneOf, type Shaped } from '@app/schema';
import { inputIdOf } from './input.stream';
import { revisionOf, type Automation } from '../automation/automation.state';
import { isFinished } from '../automation/finished';
import { AutomationReader } from '../automation/automation-reader';
import { inputKind, type InputRecorded } from './input.stream';

/** An input that a caller gives to an automation, under a key of the caller's choice. */
export interface GivenInput {
  readonly userId: UserId;
  readonly automationId: AutomationId;
  readonly revision: string;
  readonly idempotencyKey: string;
  readonly input: JsonObject;
  readonly cause: Cause;
}

export const recording = oneOf(['recorded', 'duplicate'], {
  description: '`duplicate`: an input of that id or key is recorded already, whatever this one holds',
});

/** An input that is recorded, by this call or an earlier one. */
interface RecordedInput {
  readonly status: Shaped<typeof recording>;
  readonly inputId: InputId;
  /** The event of this call; null where another call recorded the input. */
  readonly recorded: PositionedInput | null;
}

export interface PositionedInput {
  readonly event: InputRecorded;
  readonly position: number;
}

/** Records inputs of automations, each once (docs/decisions/automations.md). All throw Unavailable. */
@Injectable()
export class InputRecorder {
  constructor(
    private readonly streams: Streams,
    private readonly states: FoldedStates,
    private readonly reader: AutomationReader,
    private readonly controls: DeploymentControls,
    private readonly clock: Clock,
  ) {}

  /**
   * Records a caller's input; a known key is answered before anything else is checked. Refuses, in this order, with
   * `not_found`, `automation_completed` (archived, or completed), `automation_changed` (another revision, or paused),
   * `automation_held`, `deployment_paused`.
   */
  async give(source: 'signal' | 'invoke', given: GivenInput): Promise<Result<RecordedInput>> {
    const { userId, automationId, revision, idempotencyKey, input } = given;
    const automation = await this.reader.find(userId, automationId);
    if (automation === null) return refuse(notFound);
    const inputId = inputIdOf(automationId, source, idempotencyKey);
    const { state: seen } = await this.states.fresh(inputKind, inputId);
    if (seen.recordedAt !== null) return ok({ status: 'duplicate', inputId, recorded: null });
    const refusal = refusalOf(automation, revision, this.clock.now());
    if (refusal !== null) return refuse(refusal);
    if (await this.controls.isPaused('automations')) return refuse(because('deployment_paused'));
    const event = { id: idempotencyKey, type: source, occurredAt: this.clock.now(), data: input };
    return ok(await this.record(given, { source, inputId, epoch: automation.epoch, event }));
  }

  /** Records an input, whatever the automation's state. */
  async record(
    { userId, automationId, cause }: Pick<GivenInput, 'userId' | 'automationId' | 'cause'>,
    input: Pick<InputRecorded, 'source' | 'inputId' | 'epoch' | 'event' | 'dormant'>,
  ): Promise<RecordedInput> {
    const { inputId } = input;
    const command = { at: this.clock.now(), automationId, userId, ...input };
    const done = await this.streams.decide(inputKind, inputId, command, cause);
    if (!done.ok) throw new Error(`the input ${inputId} was refused`);
    const [event] = done.value.events;
    if (event === undefined || done.value.position === null) return { status: 'duplicate', inputId, recorded: null };
    return { status: 'recorded', inputId, recorded: { event, position: done.value.position } };
  }
}

function refusalOf(automation: Automation, revision: string, now: Instant): Refusal | null {
  if (isFinished(automation, now)) return because('automation_completed');
  if (revisionOf(automation) !== revision || automation.state === 'paused') return because('automation_changed');
  return automation.held ? because('automation_held') : null;
}
