import { Body, Controller } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { PlanResumption } from '@app/audit';
import { answer, Operator, Serves } from '@app/http';
import { holdLog, resumeLog, ResumeLogDto } from './log-hold.contract';
import { makeChange } from '../changes/make-change';
import { ChangeReason, type MadeChange } from '../changes/operators.schema';

/** There is only one log. */
const target = 'log';

@Controller()
export class OperatorsLogHoldController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Serves(resumeLog)
  async resume(
    @Operator() operator: Operator,
    @Body() { as, despiteWitnesses = false, reason }: ResumeLogDto,
  ): Promise<MadeChange> {
    const resumption = answer(await this.queries.execute(new PlanResumption(as, despiteWitnesses)));
    return makeChange(this.commands, operator, {
      operation: 'audit.resume',
      target,
      parameters: { ...resumption },
      reason,
    });
  }

  @Serves(holdLog)
  async hold(@Operator() operator: Operator, @Body() { reason }: ChangeReason): Promise<MadeChange> {
    return makeChange(this.commands, operator, { operation: 'audit.hold', target, reason });
  }
}
