import { Injectable } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Budgets } from '@app/budget';
import { DeploymentControls } from '@app/deployment';
import { Clock, erased, instantIn, instantOf, notFound, ok, openOr, quoted, refuse, spelled } from '@app/kernel';
import type { AutomationId, Instant, Result, UserId } from '@app/kernel';
import { Database, ReadGate } from '@app/read-store';
import {
  boolean,
  instant,
  integer,
  list,
  nullable,
  oneOf,
  orErased,
  shape,
  text,
  uuid,
  type Shaped,
} from '@app/schema';
import { hindrancesOf, type Present } from '../status/hindrances';
import { AutomationOwners } from '../firing/firing-ports';
import { deliveries } from '../automation/read-model/automation.row';
import { monitoringOf, monitorings } from '../status/monitoring';
import { readingBounds } from '../condition/readings';
import { automationState } from '../definition/automation-shapes';
import { behaviorText } from '../definition/behavior';
import { symbolIn } from '../condition/token-symbols';
import { AutomationChecks, checkOutcomes, type AutomationCheck } from '../status/automation-checks';
import { dueTimer } from '../firing/firing-timers';
import { FactShape } from '../simulation/evaluation.view';
import { AutomationReader } from '../automation/automation-reader';
import { OccurrenceList, type ListedOccurrence } from '../automation/read-model/occurrence.queries';

type Switches = Pick<Present, 'isControlPaused' | 'isRunsControlPaused' | 'isUserActive' | 'budget'>;

/** Everything outside an automation that lets operators and caps keep it from starting a run. */
@Injectable()
export class FiringSwitches {
  constructor(
    private readonly controls: DeploymentControls,
    private readonly owners: AutomationOwners,
    private readonly budgets: Budgets,
  ) {}

  /** The present values, for the automations of that user. @throws Unavailable */
  async read(userId: UserId): Promise<Switches> {
    const [isControlPaused, isRunsControlPaused, isUserActive, { ok: hasRoom, frozen }] = await Promise.all([
      this.controls.isPaused('automations'),
      this.controls.isPaused('runs'),
      this.owners.isActive(userId),
      this.budgets.headroom(userId),
    ]);
    return {
      isControlPaused,
      isRunsControlPaused,
      isUserActive,
      budget: frozen ? 'frozen' : hasRoom ? 'open' : 'full',
    };
  }
}

const Hindrance = shape('Hindrance', {
  because: text({ description: 'Why it does not fire' }),
  wouldHaveToBe: text({ description: 'The change after which this no longer keeps it from firing' }),
});

/** An automation with the reasons why it does not fire. Texts that others wrote are quoted. */
export const ExplainedAutomation = shape('ExplainedAutomation', {
  asOf: instant({ description: 'When all of this was read' }),
  automationId: uuid(),
  userId: uuid(),
  name: orErased(text({ description: 'In quotation marks: its user or an agent wrote it' })),
  state: automationState,
  held: boolean({ description: 'An operator keeps it from firing' }),
  monitoring: oneOf(monitorings, { description: 'As the partner API shows it' }),
  definition: text({ description: 'Schedule, condition, firing policy and contract in plain words' }),
  activeSince: instant({ description: 'When the present activation began' }),
  dueAt: nullable(instant(), {
    description: 'The next evaluation, by the service clock; null where it waits for events',
  }),
  lastCheck: nullable(
    shape('OperatedCheck', {
      at: instant(),
      condition: oneOf(checkOutcomes),
      facts: list(FactShape, { max: readingBounds.factsMax, description: 'What it read; quoted unless a number' }),
      omittedFacts: integer({ min: 0, description: 'How many more facts there are' }),
    }),
    { description: 'Null before the first evaluation of this activation' },
  ),
  hindrances: list(Hindrance, { description: 'Why it does not fire; empty where its next match fires' }),
  latestOccurrence: nullable(
    shape('ExplainedOccurrence', {
      at: instant({ description: 'Its due time, or when its input was recorded' }),
      delivery: oneOf(deliveries),
      reason: nullable(text(), { description: 'Why it was not delivered, in quotation marks' }),
      runId: nullable(uuid(), { description: "The run that it was handed to, by its id in its user's eyes" }),
    }),
  ),
});
export type ExplainedAutomation = Shaped<typeof ExplainedAutomation>;

/** Explains why an automation, of any user, does not fire; no older than this call. Refuses with `not_found`. @throws Unavailable */
export class ExplainAutomation extends Query<Result<ExplainedAutomation>> {
  constructor(readonly automationId: AutomationId) {
    super();
  }
}

@QueryHandler(ExplainAutomation)
export class ExplainAutomationHandler implements IQueryHandler<ExplainAutomation> {
  constructor(
    private readonly reader: AutomationReader,
    private readonly checks: AutomationChecks,
    private readonly occurrences: OccurrenceList,
    private readonly switches: FiringSwitches,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly gate: ReadGate,
  ) {}

  async execute({ automationId }: ExplainAutomation): Promise<Result<ExplainedAutomation>> {
    const automation = await this.reader.current(automationId);
    if (automation === null) return refuse(notFound);
    await this.gate.caughtUp();
    const { userId, definition, state, held, epochAt, symbols } = automation;
    const [last, [latest], switches, dueAt] = await Promise.all([
      this.checks.last(automationId),
      this.occurrences.newest(automationId, null, null, 1),
      this.switches.read(userId),
      this.dueAt(automationId, automation.epoch),
    ]);
    const asOf = this.clock.now();
    const name = openOr(definition.name, null);
    const rejected = latest?.delivery === 'rejected' ? rejectionOf(latest, automation.epochAt) : null;
    const check = last?.epoch === automation.epoch ? last : null;
    return ok({
      asOf,
      automationId,
      userId,
      name: name === null ? erased : quoted(name),
      state,
      held,
      monitoring: monitoringOf(automation, check, asOf).monitoring,
      definition: behaviorText(definition, symbolIn(symbols)),
      activeSince: epochAt,
      dueAt,
      lastCheck: check === null ? null : checkView(check),
      hindrances: [...hindrancesOf({ automation, check, dueAt, ...switches, rejected, now: asOf })],
      latestOccurrence: latest === undefined ? null : occurrenceView(latest),
    });
  }

  /** The due time of the activation's timer. */
  private async dueAt(automationId: AutomationId, epoch: string): Promise<Instant | null> {
    const { id } = dueTimer(automationId, epoch, this.clock.now());
    const [row] = await this.database.query<{ dueAtMs: number }>(
      'SELECT due_at_ms AS "dueAtMs" FROM timers WHERE id = $1',
      [id],
      'automations.due_at',
    );
    return row === undefined ? null : instantOf(row.dueAtMs);
  }
}

/** The rejection; null where it happened before the present activation, whose matches may be accepted. */
function rejectionOf({ at, reason }: ListedOccurrence, since: Instant) {
  const rejectedAt = instantIn(at);
  return rejectedAt === null || rejectedAt < since ? null : { at: rejectedAt, reason };
}

function checkView({ at, condition, facts, omittedFacts }: AutomationCheck): ExplainedAutomation['lastCheck'] {
  return {
    at,
    condition,
    facts: facts.map((fact) => ({ ...fact, value: spelled(fact.value, 'decimal') })),
    omittedFacts,
  };
}

function occurrenceView({ at, delivery, reason, runId }: ListedOccurrence): ExplainedAutomation['latestOccurrence'] {
  return { at, delivery, reason: reason === null ? null : quoted(reason), runId };
}
