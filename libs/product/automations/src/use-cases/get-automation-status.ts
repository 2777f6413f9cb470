import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Clock, notFound, ok, refuse, shown, type AutomationId, type Result, type UserId } from '@app/kernel';
import { ReadGate } from '@app/read-store';
import { instant, integer, list, nullable, oneOf, shape, uuid, type Shaped } from '@app/schema';
import { AutomationChecks, checkOutcomes, type AutomationCheck } from '../status/automation-checks';
import { automationState, shownName, truncatedText } from '../definition/automation-shapes';
import { AutomationReader } from '../automation/automation-reader';
import { OccurrenceList, type ListedOccurrence } from '../automation/read-model/occurrence.queries';
import { behaviorText, shortenedWords } from '../definition/behavior';
import { FactShape } from '../simulation/evaluation.view';
import { monitoringOf, monitorings } from '../status/monitoring';
import { delivery, deliveryReason, reasonView, textLengthMax } from '../views/occurrence.view';
import { readingBounds } from '../condition/readings';
import { symbolIn } from '../condition/token-symbols';

const behaviorLengthMax = 320;
/** Automation status view (specification, "Automation (status view)"): of bounded size, and in reviewed words. */
export const AutomationStatus = shape('AutomationStatus', {
  asOf: instant({ description: 'When all of this was read' }),
  automationId: uuid(),
  name: shownName,
  state: automationState,
  monitoring: oneOf(monitorings, {
    description:
      '`waiting`: not checked yet; `unavailable`: a source could not be read, or the rule not be decided; `stale`: a check is overdue, or a source too old; `paused`: held, too; `completed`: it fires no more',
  }),
  behavior: truncatedText('BehaviorText', behaviorLengthMax, 'Schedule, condition and firing policy in plain words'),
  lastCheck: nullable(
    shape('LastCheck', {
      at: instant(),
      condition: oneOf(checkOutcomes),
      facts: list(FactShape, { max: readingBounds.factsMax }),
      omittedFacts: integer({ min: 0, description: 'How many more facts there are' }),
    }),
    { description: 'Null before the first look of this activation' },
  ),
  issue: nullable(truncatedText('IssueText', textLengthMax, 'What is wrong'), {
    description: 'Null unless `monitoring` is `stale` or `unavailable`',
  }),
  latestOccurrence: nullable(
    shape('LatestOccurrence', { at: instant(), delivery, reason: deliveryReason, runId: nullable(uuid()) }),
  ),
});
export type AutomationStatus = Shaped<typeof AutomationStatus>;

type LatestOccurrence = NonNullable<AutomationStatus['latestOccurrence']>;

/** The status of an automation, no older than this call. Refuses with `not_found`. @throws Unavailable */
export class GetAutomationStatus extends Query<Result<AutomationStatus>> {
  constructor(
    readonly userId: UserId,
    readonly automationId: AutomationId,
  ) {
    super();
  }
}

@QueryHandler(GetAutomationStatus)
export class GetAutomationStatusHandler implements IQueryHandler<GetAutomationStatus> {
  constructor(
    private readonly reader: AutomationReader,
    private readonly checks: AutomationChecks,
    private readonly occurrences: OccurrenceList,
    private readonly clock: Clock,
    private readonly gate: ReadGate,
  ) {}

  async execute({ userId, automationId }: GetAutomationStatus): Promise<Result<AutomationStatus>> {
    const automation = await this.reader.find(userId, automationId);
    if (automation === null) return refuse(notFound);
    // Wait, so that the list of occurrences includes all events that the stream had.
    await this.gate.caughtUp();
    const [last, [latest]] = await Promise.all([
      this.checks.last(automationId),
      this.occurrences.newest(automationId, null, null, 1),
    ]);
    const asOf = this.clock.now();
    const check = last?.epoch === automation.epoch ? last : null;
    const { monitoring, issue } = monitoringOf(automation, check, asOf);
    return ok({
      asOf,
      automationId,
      name: shown(automation.definition.name),
      state: automation.state,
      monitoring,
      behavior: shortenedWords(behaviorText(automation.definition, symbolIn(automation.symbols)), behaviorLengthMax),
      lastCheck: check === null ? null : checkView(check),
      issue: issue === null ? null : shortenedWords(issue, textLengthMax),
      latestOccurrence: latest === undefined ? null : latestView(latest),
    });
  }
}

function checkView({ at, condition, facts, omittedFacts }: AutomationCheck): AutomationStatus['lastCheck'] {
  return { at, condition, facts, omittedFacts };
}

function latestView({ at, delivery, reason, runId }: ListedOccurrence): LatestOccurrence {
  return { at, delivery, reason: reasonView(reason), runId };
}
