import { Query, QueryBus, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { ExplainAutomation, type ExplainedAutomation } from '@app/automations';
import type { Operator } from '@app/http';
import type { AutomationId, Result } from '@app/kernel';
import { OperatorReads } from '../operator-log/operator-reads';

/**
 * Returns an automation and why it does not fire. The access is logged. Refuses with `not_found`. @throws Unavailable
 */
export class ShowAutomation extends Query<Result<ExplainedAutomation>> {
  constructor(
    readonly operator: Operator,
    readonly automationId: AutomationId,
  ) {
    super();
  }
}

@QueryHandler(ShowAutomation)
export class ShowAutomationHandler implements IQueryHandler<ShowAutomation> {
  constructor(
    private readonly reads: OperatorReads,
    private readonly queries: QueryBus,
  ) {}

  async execute({ operator, automationId }: ShowAutomation): Promise<Result<ExplainedAutomation>> {
    await this.reads.log(operator, { operation: 'automations.show', target: automationId });
    return this.queries.execute(new ExplainAutomation(automationId));
  }
}
