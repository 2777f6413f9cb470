import { Injectable } from '@nestjs/common';
import { notFound, ok, refuse, type AutomationId, type InputId, type Result, type UserId } from '@app/kernel';
import { ReadGate } from '@app/read-store';
import { instant, nullable, oneOf, shape, uuid, type Shaped } from '@app/schema';
import { inputOccurrenceId } from '../automation/automation-ids';
import { passedOvers } from '../automation/automation.events';
import { AutomationQueries, type FoundInput } from '../api/automations.queries';
import { Automations } from '../automation/automations';
import { inputSources } from './input.stream';

const outcomes = ['waiting', 'fired', ...passedOvers] as const;

/** What became of an input (docs/decisions/automations.md, "Inputs"). */
export const InputOutcome = shape('AutomationInput', {
  inputId: uuid(),
  receivedAt: instant({ description: 'When it was recorded' }),
  trigger: oneOf(inputSources),
  outcome: oneOf(outcomes, {
    description:
      "`waiting`: the rule has not looked at it yet; `fired`: an occurrence came of it, which says what became of that; `not_matched`: the condition was false, or its edge or its one match was spent; `cooldown`: too soon after the last accepted one; `unknown`: the condition could not be decided; `type_not_awaited`: the rule waits for other types of events; `stale`: the automation was changed, or resumed, before it was looked at; `paused`: the automation was paused or held, or the deployment's automations were; `rejected`: the automation had finished, or its occurrence was refused",
  }),
  occurrenceId: nullable(uuid(), { description: 'Null as long as none came of it' }),
});
export type InputOutcome = Shaped<typeof InputOutcome>;

/** `automations.input`. */
@Injectable()
export class InputOutcomes {
  constructor(
    private readonly automations: Automations,
    private readonly queries: AutomationQueries,
    private readonly gate: ReadGate,
  ) {}

  /** Of a signal, an invocation or a webhook's event of the user's automation. Refuses with `not_found`. @throws Unavailable */
  async of(userId: UserId, automationId: AutomationId, inputId: InputId): Promise<Result<InputOutcome>> {
    if ((await this.automations.fold(userId, automationId)) === null) return refuse(notFound);
    const occurrenceId = inputOccurrenceId(automationId, inputId);
    const found = await this.gate.find(() => this.queries.input(automationId, inputId, occurrenceId));
    if (found === null) return refuse(notFound);
    const { receivedAt, trigger, delivery } = found;
    const outcome = outcomeOf(found);
    return ok({ inputId, receivedAt, trigger, outcome, occurrenceId: delivery === null ? null : occurrenceId });
  }
}

function outcomeOf({ outcome, delivery }: FoundInput): InputOutcome['outcome'] {
  if (delivery === null) return outcome ?? 'waiting';
  return delivery === 'rejected' ? 'rejected' : 'fired';
}
