import { Injectable } from '@nestjs/common';
import { Clock, notFound, ok, refuse, type AutomationId, type Instant, type Result, type UserId } from '@app/kernel';
import { ReadGate } from '@app/read-store';
import { AutomationChecks, type AutomationCheck } from './automation-checks';
import type { Truncated } from './automation.view';
import { Automations } from './automations';
import { AutomationQueries, type ListedOccurrence } from './automations.queries';
import { behaviorText, truncated } from './behavior';
import { monitoringOf, type Monitoring } from './monitoring';
import { symbolIn } from './token-symbols';

const behaviorLengthMax = 320;
/** Of an issue's and of a reason's text. */
const textLengthMax = 240;

/** Automation status view (specification, "Automation (status view)"): of a fixed size, and in words that were reviewed. */
export interface AutomationStatus {
  readonly asOf: Instant;
  readonly automationId: AutomationId;
  readonly name: string;
  readonly state: 'enabled' | 'paused' | 'archived';
  readonly monitoring: Monitoring;
  readonly behavior: Truncated;
  readonly lastCheck: Omit<AutomationCheck, 'epoch' | 'reasons'> | null;
  readonly issue: Truncated | null;
  readonly latestOccurrence: LatestOccurrence | null;
}

type LatestOccurrence = Pick<ListedOccurrence, 'at' | 'delivery' | 'runId'> & { readonly reason: Truncated | null };

/** `automations.status`. */
@Injectable()
export class AutomationStatuses {
  constructor(
    private readonly automations: Automations,
    private readonly checks: AutomationChecks,
    private readonly queries: AutomationQueries,
    private readonly clock: Clock,
    private readonly gate: ReadGate,
  ) {}

  /** Refuses with `not_found`. @throws Unavailable */
  async of(userId: UserId, automationId: AutomationId): Promise<Result<AutomationStatus>> {
    const automation = await this.automations.fold(userId, automationId);
    if (automation === null) return refuse(notFound);
    // What the stream has told by now is in the list of occurrences as well.
    await this.gate.caughtUp();
    const [last, [latest]] = await Promise.all([
      this.checks.last(automationId),
      this.queries.occurrences(automationId, null, null, 1),
    ]);
    const asOf = this.clock.now();
    const check = last?.epoch === automation.epoch ? last : null;
    const { monitoring, issue } = monitoringOf(automation, check, asOf);
    return ok({
      asOf,
      automationId,
      name: automation.definition.name,
      state: automation.state,
      monitoring,
      behavior: truncated(behaviorText(automation.definition, symbolIn(automation.symbols)), behaviorLengthMax),
      lastCheck: check === null ? null : checkView(check),
      issue: issue === null ? null : truncated(issue, textLengthMax),
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

/** The reason of an occurrence's delivery, as the API shows it. */
export function reasonView(reason: string | null): Truncated | null {
  return reason === null ? null : truncated(reason, textLengthMax);
}
