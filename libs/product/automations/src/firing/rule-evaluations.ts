import { Injectable } from '@nestjs/common';
import type { AutomationId, Instant } from '@app/kernel';
import type { Automation } from '../automation/automation.state';
import type { Readings } from '../condition/condition';
import { factsOf } from '../condition/readings';
import { symbolIn } from '../condition/token-symbols';
import { Sampler } from '../sources/sampler';
import { readingsAt } from '../sources/source-sample';
import { AutomationChecks } from '../status/automation-checks';
import type { Delivered, Look } from './firing-ports';

/** The status view's word for each verdict. */
const outcomes = { true: 'matched', false: 'not_matched', unknown: 'unknown' } as const;

/** Reads the sources for live evaluations of rules, and stores the outcomes. All methods throw Unavailable. */
@Injectable()
export class RuleEvaluations {
  constructor(
    private readonly sampler: Sampler,
    private readonly checks: AutomationChecks,
  ) {}

  /** The readings of the condition's sources at that instant. */
  async readings(
    { userId, definition: { condition } }: Automation,
    at: Instant,
    delivered: Delivered | null,
  ): Promise<Readings> {
    return readingsAt(condition, await this.sampler.look(userId, condition, at), at, delivered);
  }

  /** Stores the evaluation as the last one, for the status view. */
  async keep(automationId: AutomationId, { automation, readings, evaluation }: Look): Promise<void> {
    const { epoch, definition, symbols } = automation;
    const { facts, omittedFacts } = factsOf(definition.condition, readings, symbolIn(symbols));
    const { verdict, evaluatedAt: at, reasons } = evaluation;
    await this.checks.record(automationId, { at, epoch, condition: outcomes[verdict], facts, omittedFacts, reasons });
  }
}
