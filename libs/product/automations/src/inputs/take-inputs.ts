import { Injectable } from '@nestjs/common';
import { DeploymentControls } from '@app/deployment';
import { decodeEvent, EventStore, FoldedStates, streamName, Streams } from '@app/event-store';
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
import { oneOf, shape, uuid, type Shaped } from '@app/schema';
import { inputIdOf } from '../automation/automation-ids';
import { revisionOf, type Automation } from '../automation/automation.state';
import { automationKind } from '../automation/automation.stream';
import { Automations } from '../automation/automations';
import { isFinished } from '../automation/finished';
import { invocation } from './input-match';
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

/** An input on its way. */
interface Handing {
  readonly status: Recording;
  readonly inputId: InputId;
  /** As it was recorded by this very call; null where another call did. */
  readonly recorded: Recorded | null;
}

interface Recorded {
  readonly event: InputRecorded;
  readonly position: number;
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
  occurrenceId: uuid({ description: 'Of the occurrence that it led to, which is in every list by now' }),
});
export type Invoked = Shaped<typeof Invoked>;

/** Inputs of automations, each recorded once (docs/decisions/automations.md); but for invocations, what they lead to is firing's business. All throw Unavailable. */
@Injectable()
export class TakeInputs {
  constructor(
    private readonly streams: Streams,
    private readonly states: FoldedStates,
    private readonly store: EventStore,
    private readonly clock: Clock,
    private readonly gate: ReadGate,
    private readonly controls: DeploymentControls,
    private readonly automations: Automations,
  ) {}

  /** `automations.signal`: an event for the rule to look at. Refuses as `hand` says. */
  async signal(handed: Handed): Promise<Result<Signalled>> {
    const done = await this.hand('signal', handed);
    if (!done.ok) return done;
    const { status, inputId, recorded } = done.value;
    await this.gate.waitForProjection(recorded?.position ?? null);
    return ok({ status, inputId });
  }

  /**
   * `automations.invoke`: makes an occurrence whatever the rule says, before it answers; `rejected` with its reason where it cannot
   * be accepted. Also completes a repeated key whose first attempt crashed before its occurrence. Refuses as `hand` does.
   */
  async invoke(handed: Handed): Promise<Result<Invoked>> {
    const done = await this.hand('invoke', handed);
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

  /** Records a webhook's event, whatever the automation's state; what comes while nothing can fire never does. */
  async deliver(
    { userId, automationId, epoch, awake }: Pick<WebhookKey, 'userId' | 'automationId' | 'epoch' | 'awake'>,
    event: InboundEvent,
    cause: Cause,
  ): Promise<Signalled> {
    const inputId = inputIdOf(automationId, 'webhook', event.id);
    const dormant = !awake || (await this.controls.isPaused('automations'));
    const input = { source: 'webhook', inputId, epoch, event, ...(dormant && { dormant }) } as const;
    const { status, recorded } = await this.record({ userId, automationId, cause }, input);
    await this.gate.waitForProjection(recorded?.position ?? null);
    return { status, inputId };
  }

  /**
   * A key that was seen is answered before anything else is looked at. Refuses, in this order, with `not_found`,
   * `automation_completed` (archived, or finished), `automation_changed` (another revision, or paused), `automation_held`, `deployment_paused`.
   */
  private async hand(source: 'signal' | 'invoke', handed: Handed): Promise<Result<Handing>> {
    const { userId, automationId, revision, idempotencyKey, input } = handed;
    const automation = await this.automations.fold(userId, automationId);
    if (automation === null) return refuse(notFound);
    const inputId = idOf(source, handed);
    const { state: seen } = await this.states.current(inputKind, inputId);
    if (seen.recordedAt !== null) return ok({ status: 'duplicate', inputId, recorded: null });
    const refusal = refusalOf(automation, revision, this.clock.now());
    if (refusal !== null) return refuse(refusal);
    if (await this.controls.isPaused('automations')) return refuse(because('deployment_paused'));
    const event = { id: idempotencyKey, type: source, occurredAt: this.clock.now(), data: input };
    return ok(await this.record(handed, { source, inputId, epoch: automation.epoch, event }));
  }

  private async record(
    { userId, automationId, cause }: Pick<Handed, 'userId' | 'automationId' | 'cause'>,
    input: Pick<InputRecorded, 'source' | 'inputId' | 'epoch' | 'event' | 'dormant'>,
  ): Promise<Handing> {
    const { inputId } = input;
    const command = { at: this.clock.now(), automationId, userId, ...input };
    const done = await this.streams.decide(inputKind, inputId, command, cause);
    if (!done.ok) throw new Error(`the input ${inputId} was refused`);
    const [event] = done.value.events;
    if (event === undefined || done.value.position === null) return { status: 'duplicate', inputId, recorded: null };
    return { status: 'recorded', inputId, recorded: { event, position: done.value.position } };
  }

  private async read(inputId: InputId): Promise<Recorded> {
    const [stored] = await this.store.readStream(streamName(inputKind, inputId), 0, 1);
    if (stored === undefined) throw new Error(`the input ${inputId} is gone`);
    return decodeEvent<InputRecorded>(inputKind, stored);
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
