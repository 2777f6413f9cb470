import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Clock, notFound, ok, refuse, type AutomationId, type Result, type UserId } from '@app/kernel';
import { read } from '@app/schema';
import { evaluate } from '../condition/condition-evaluator';
import type { ConditionTest } from '../simulation/evaluation.view';
import { InboundEventShape } from '../inputs/inbound-event';
import { inputsOf } from '../condition/readings';
import { Samples } from '../sources/samples';
import { AutomationReader } from '../automation/automation-reader';

/**
 * Evaluates the rule once, in any state; records nothing and fires nothing. Refuses, in this order, with
 * `invalid_input`, `not_found`.
 * @throws Unavailable
 */
export class TestCondition extends Query<Result<ConditionTest>> {
  /** @param event an inbound event of any type, not validated yet; undefined for retained data alone */
  constructor(
    readonly userId: UserId,
    readonly automationId: AutomationId,
    readonly event: unknown,
  ) {
    super();
  }
}

@QueryHandler(TestCondition)
export class TestConditionHandler implements IQueryHandler<TestCondition> {
  constructor(
    private readonly reader: AutomationReader,
    private readonly samples: Samples,
    private readonly clock: Clock,
  ) {}

  async execute({ userId, automationId, event }: TestCondition): Promise<Result<ConditionTest>> {
    const given = event === undefined ? ok(null) : read(InboundEventShape, event, '/event');
    if (!given.ok) return given;
    const automation = await this.reader.find(userId, automationId);
    if (automation === null) return refuse(notFound);
    const { definition, definitionVersion } = automation;
    const at = this.clock.now();
    const readings = await this.samples.readings(userId, definition.condition, at, given.value, at);
    const { verdict, evaluatedAt, reasons } = evaluate(definition.condition, readings, at);
    const inputs = inputsOf(definition.condition, readings);
    return ok({ definitionVersion, evaluation: { verdict, evaluatedAt, reasons, inputs } });
  }
}
