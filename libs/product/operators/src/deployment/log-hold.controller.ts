import { Body, Controller } from '@nestjs/common';
import { PlanResumption } from '@app/audit';
import { answer, Operator, Serves } from '@app/http';
import { holdLog, resumeLog, ResumeLogDto } from './log-hold.contract';
import { ChangeController } from '../changes/make-change';
import { ChangeReason, type MadeChange } from '../changes/operators.schema';

/** There is only one log. */
const target = 'log';

@Controller()
export class OperatorsLogHoldController extends ChangeController {
  @Serves(resumeLog)
  async resume(
    @Operator() operator: Operator,
    @Body() { as, despiteWitnesses = false, reason }: ResumeLogDto,
  ): Promise<MadeChange> {
    const resumption = answer(await this.queries.execute(new PlanResumption(as, despiteWitnesses)));
    return this.make(operator, { operation: 'audit.resume', target, parameters: { ...resumption }, reason });
  }

  @Serves(holdLog)
  async hold(@Operator() operator: Operator, @Body() { reason }: ChangeReason): Promise<MadeChange> {
    return this.make(operator, { operation: 'audit.hold', target, reason });
  }
}
