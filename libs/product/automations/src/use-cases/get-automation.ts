import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Clock, type AutomationId, type Result, type UserId } from '@app/kernel';
import { answerOf, type AutomationView } from '../views/automation.view';
import { AutomationReader } from '../automation/automation-reader';

/** The automation, current as of the call, folded from its stream. Refuses with `not_found`. @throws Unavailable */
export class GetAutomation extends Query<Result<AutomationView>> {
  constructor(
    readonly userId: UserId,
    readonly automationId: AutomationId,
  ) {
    super();
  }
}

@QueryHandler(GetAutomation)
export class GetAutomationHandler implements IQueryHandler<GetAutomation> {
  constructor(
    private readonly reader: AutomationReader,
    private readonly clock: Clock,
  ) {}

  async execute({ userId, automationId }: GetAutomation): Promise<Result<AutomationView>> {
    const automation = await this.reader.find(userId, automationId);
    return answerOf(automationId, automation, this.clock.now());
  }
}
