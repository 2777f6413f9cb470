import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { DeploymentControls } from '@app/deployment';
import { FoldedStates, Transact } from '@app/event-store';
import { oneOf, shape, uuid, type Shaped } from '@app/http';
import {
  because,
  Clock,
  notFound,
  ok,
  refuse,
  type AutomationId,
  type Cause,
  type InputId,
  type Instant,
  type JsonObject,
  type Refusal,
  type Result,
  type UserId,
} from '@app/kernel';
import { ReadGate } from '@app/read-store';
import { inputIdOf, inputOccurrenceId } from './automation-ids';
import { revisionOf, type Automation } from './automation.state';
import { Automations } from './automations';
import { isFinished } from './finished';
import { inputKind, type InboundEvent, type InputRecorded } from './input.stream';
import type { WebhookKey } from './webhook-keys';

/** What a caller hands to an automation, under a key of the caller's choice. */
export interface Handed {
  readonly userId: UserId;
  readonly automationId: AutomationId;
  readonly revision: string;
  readonly idempotencyKey: string;
  readonly input: JsonObject;
  readonly cause: Cause;
}

const recording = oneOf(['recorded', 'duplicate'], {
  description: '`duplicate`: an input of that id or key stands already, whatever this one holds',
});
type Recording = Shaped<typeof recording>;

/** What `automations.signal` and webhooks answer. */
export const Signalled = shape('RecordedInput', { status: recording, inputId: uuid() });
export type Signalled = Shaped<typeof Signalled>;

/** What `automations.invoke` answers. */
export const Invoked = shape('Invocation', {
  status: recording,
  occurrenceId: uuid({ description: 'Of the occurrence that it leads to' }),
});
export type Invoked = Shaped<typeof Invoked>;

/** Inputs of automations, each recorded once (docs/decisions/automations.md); what they lead to is firing's business. All throw Unavailable. */
@Injectable()
export class TakeInputs {
  constructor(
    private readonly commands: CommandBus,
    private readonly states: FoldedStates,
    private readonly clock: Clock,
    private readonly gate: ReadGate,
    private readonly controls: DeploymentControls,
    private readonly automations: Automations,
  ) {}

  /** `automations.signal`: an event for the rule to look at. Refuses as `hand` says. */
  async signal(handed: Handed): Promise<Result<Signalled>> {
    const done = await this.hand('signal', handed);
    return done.ok ? ok({ status: done.value, inputId: idOf('signal', handed) }) : done;
  }

  /** `automations.invoke`: an occurrence whatever the rule says. Refuses as `hand` says. */
  async invoke(handed: Handed): Promise<Result<Invoked>> {
    const done = await this.hand('invoke', handed);
    if (!done.ok) return done;
    return ok({ status: done.value, occurrenceId: inputOccurrenceId(handed.automationId, idOf('invoke', handed)) });
  }

  /** Records a webhook's event, whatever the automation's state; what comes while nothing can fire never does. */
  async deliver(
    { userId, automationId, epoch, awake }: Pick<WebhookKey, 'userId' | 'automationId' | 'epoch' | 'awake'>,
    event: InboundEvent,
    cause: Cause,
  ): Promise<Signalled> {
    const inputId = inputIdOf(automationId, 'webhook', event.id);
    const dormant = !awake || (await this.controls.paused('automations'));
    const input = { source: 'webhook', inputId, epoch, event, ...(dormant && { dormant }) } as const;
    return { status: await this.record({ userId, automationId, cause }, input), inputId };
  }

  /**
   * A key that was seen is answered before anything else is looked at. Refuses, in this order, with `not_found`,
   * `automation_completed` (archived, or finished), `automation_changed` (another revision, or paused), `automation_held`, `deployment_paused`.
   */
  private async hand(source: 'signal' | 'invoke', handed: Handed): Promise<Result<Recording>> {
    const { userId, automationId, revision, idempotencyKey, input } = handed;
    const automation = await this.automations.fold(userId, automationId);
    if (automation === null) return refuse(notFound);
    const inputId = idOf(source, handed);
    const { state: seen } = await this.states.current(inputKind, inputId);
    if (seen.recordedAt !== null) return ok('duplicate');
    const refusal = refusalOf(automation, revision, this.clock.now());
    if (refusal !== null) return refuse(refusal);
    if (await this.controls.paused('automations')) return refuse(because('deployment_paused'));
    const event = { id: idempotencyKey, type: source, occurredAt: this.clock.now(), data: input };
    return ok(await this.record(handed, { source, inputId, epoch: automation.epoch, event }));
  }

  private async record(
    { userId, automationId, cause }: Pick<Handed, 'userId' | 'automationId' | 'cause'>,
    input: Pick<InputRecorded, 'source' | 'inputId' | 'epoch' | 'event' | 'dormant'>,
  ): Promise<Recording> {
    const { inputId } = input;
    const command = { at: this.clock.now(), automationId, userId, ...input };
    const done = await this.commands.execute(new Transact(inputKind, inputId, command, cause));
    if (!done.accepted) throw new Error(`the input ${inputId} was refused`);
    await this.gate.passed(done.position);
    return done.events.length > 0 ? 'recorded' : 'duplicate';
  }
}

function idOf(source: 'signal' | 'invoke', { automationId, idempotencyKey }: Handed): InputId {
  return inputIdOf(automationId, source, idempotencyKey);
}

function refusalOf(automation: Automation, revision: string, now: Instant): Refusal | null {
  if (isFinished(automation, now)) return because('automation_completed');
  if (revisionOf(automation) !== revision || automation.state === 'paused') return because('automation_changed');
  return automation.held ? because('automation_held') : null;
}
