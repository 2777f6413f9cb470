import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Cursors, pageOf } from '@app/http';
import { notFound, ok, refuse } from '@app/kernel';
import type { AutomationId, InputId, Instant, OccurrenceId, Result, UserId } from '@app/kernel';
import { Database, ReadGate } from '@app/read-store';
import { instant, nullable, oneOf, shape, uuid, type Shaped } from '@app/schema';
import { ListOccurrencesDto } from '../views/automations.dto';
import { occurrenceView, type OccurrencePage } from '../views/occurrence.view';
import { AutomationReader } from '../automation/automation-reader';
import { OccurrenceList } from '../automation/read-model/occurrence.queries';
import { inputOccurrenceId } from '../automation/automation-ids';
import { passedOvers, type PassedOver } from '../automation/automation.events';
import type { OccurrenceDelivery } from '../automation/read-model/automation.row';
import { inputSources, type InputSource } from '../inputs/input.stream';

/**
 * A page of an automation's occurrences, newest first by the position of their creation. Refuses, in this order, with
 * `invalid_cursor`, `not_found`.
 * @throws Unavailable
 */
export class ListOccurrences extends Query<Result<OccurrencePage>> {
  constructor(
    readonly userId: UserId,
    readonly automationId: AutomationId,
    readonly query: ListOccurrencesDto,
  ) {
    super();
  }
}

@QueryHandler(ListOccurrences)
class ListOccurrencesHandler implements IQueryHandler<ListOccurrences> {
  constructor(
    private readonly reader: AutomationReader,
    private readonly occurrences: OccurrenceList,
    private readonly cursors: Cursors,
  ) {}

  async execute({ userId, automationId, query }: ListOccurrences): Promise<Result<OccurrencePage>> {
    const { cursor, limit, delivery = null } = query;
    const binding = { list: 'automations.occurrences', userId, filters: { automationId, delivery } };
    const before = this.cursors.startOf(binding, cursor);
    if (!before.ok) return before;
    if ((await this.reader.find(userId, automationId)) === null) return refuse(notFound);
    const rows = await this.occurrences.newest(automationId, delivery, before.value, limit + 1);
    return ok(pageOf(rows, limit, occurrenceView, (row) => this.cursors.mint(binding, [row.openedPosition])));
  }
}

const outcomes = ['waiting', 'fired', ...passedOvers] as const;

/** The outcome of an input (docs/decisions/automations.md, "Inputs"). */
export const InputOutcome = shape('AutomationInput', {
  inputId: uuid(),
  receivedAt: instant({ description: 'When it was recorded' }),
  trigger: oneOf(inputSources),
  outcome: oneOf(outcomes, {
    description:
      "`waiting`: the rule has not been checked with it yet; `fired`: an occurrence came of it, which says what became of that; `not_matched`: the condition was false, or its edge or its one match was spent; `cooldown`: too soon after the last accepted one; `unknown`: the condition could not be decided; `type_not_awaited`: the rule waits for other types of events; `stale`: the automation was changed, or resumed, before it was checked; `paused`: the automation was paused or held, or the deployment's automations were; `rejected`: the automation had finished, or its occurrence was refused",
  }),
  occurrenceId: nullable(uuid(), { description: 'Null as long as none came of it' }),
});
export type InputOutcome = Shaped<typeof InputOutcome>;

/** The read model's row of an input, and of the occurrence that it led to. */
interface FoundInput {
  readonly receivedAt: Instant;
  readonly trigger: InputSource;
  readonly outcome: PassedOver | null;
  /** The delivery of its occurrence; null when it has none, or none yet. */
  readonly delivery: OccurrenceDelivery | null;
}

/** The outcome of a signal, an invocation or a webhook's event of the user's automation. Refuses with `not_found`. @throws Unavailable */
export class GetInputOutcome extends Query<Result<InputOutcome>> {
  constructor(
    readonly userId: UserId,
    readonly automationId: AutomationId,
    readonly inputId: InputId,
  ) {
    super();
  }
}

@QueryHandler(GetInputOutcome)
class GetInputOutcomeHandler implements IQueryHandler<GetInputOutcome> {
  constructor(
    private readonly reader: AutomationReader,
    private readonly database: Database,
    private readonly gate: ReadGate,
  ) {}

  async execute({ userId, automationId, inputId }: GetInputOutcome): Promise<Result<InputOutcome>> {
    if ((await this.reader.find(userId, automationId)) === null) return refuse(notFound);
    const occurrenceId = inputOccurrenceId(automationId, inputId);
    const found = await this.gate.find(() => this.findInput(automationId, inputId, occurrenceId));
    if (found === null) return refuse(notFound);
    const { receivedAt, trigger, delivery } = found;
    const outcome = outcomeOf(found);
    return ok({ inputId, receivedAt, trigger, outcome, occurrenceId: delivery === null ? null : occurrenceId });
  }

  /** @param occurrenceId the id that the input's occurrence would have */
  private async findInput(
    automationId: AutomationId,
    inputId: InputId,
    occurrenceId: OccurrenceId,
  ): Promise<FoundInput | null> {
    const [row] = await this.database.query<FoundInput>(
      `SELECT i.at AS "receivedAt", i.source AS trigger, i.outcome, o.delivery
       FROM {automation_inputs} AS i LEFT JOIN {occurrences} AS o ON o.id = $3 WHERE i.id = $1 AND i.automation_id = $2`,
      [inputId, automationId, occurrenceId],
      'automations.input',
    );
    return row ?? null;
  }
}

function outcomeOf({ outcome, delivery }: FoundInput): InputOutcome['outcome'] {
  if (delivery === null) return outcome ?? 'waiting';
  return delivery === 'rejected' ? 'rejected' : 'fired';
}

export const occurrenceQueries = [ListOccurrencesHandler, GetInputOutcomeHandler];
