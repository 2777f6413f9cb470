import { Injectable } from '@nestjs/common';
import { Clock, notFound, ok, refuse, type AutomationId, type Result, type UserId } from '@app/kernel';
import { read } from '@app/schema';
import { Automations } from '../automation/automations';
import { evaluate } from '../condition/condition-evaluator';
import type { ConditionTest } from './evaluation.view';
import { InboundEventShape } from '../inputs/inbound-event';
import { inputsOf } from '../condition/readings';
import { Samples } from '../sources/samples';

/** `automations.testCondition`: one look at the rule, in any state; it records nothing and fires nothing. */
@Injectable()
export class TestCondition {
  constructor(
    private readonly automations: Automations,
    private readonly samples: Samples,
    private readonly clock: Clock,
  ) {}

  /**
   * @param event an inbound event of any type, not validated yet; undefined for retained data alone
   * Refuses with `invalid_input`, `not_found`. @throws Unavailable
   */
  async test(userId: UserId, automationId: AutomationId, event: unknown): Promise<Result<ConditionTest>> {
    const given = event === undefined ? ok(null) : read(InboundEventShape, event, '/event');
    if (!given.ok) return given;
    const automation = await this.automations.fold(userId, automationId);
    if (automation === null) return refuse(notFound);
    const { definition, definitionVersion } = automation;
    const at = this.clock.now();
    const readings = await this.samples.readings(userId, definition.condition, at, given.value, at);
    const { verdict, evaluatedAt, reasons } = evaluate(definition.condition, readings, at);
    const inputs = inputsOf(definition.condition, readings);
    return ok({ definitionVersion, evaluation: { verdict, evaluatedAt, reasons, inputs } });
  }
}
