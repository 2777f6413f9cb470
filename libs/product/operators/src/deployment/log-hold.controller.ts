import { Body, Controller } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { PlanResumption } from '@app/audit';
import { answer, Operator, Serves } from '@app/http';
import { holdLog, resumeLog } from './log-hold.contract';
import { ResumeLogDto } from './log-hold.dto';
import { MakeChange } from '../changes/make-change';
import { ChangeReason } from '../changes/operators.dto';
import type { MadeChange } from '../changes/operators.schema';

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
    const change = { operation: 'audit.resume', target, parameters: { ...resumption }, reason } as const;
    return answer(await this.commands.execute(new MakeChange(operator, change)));
  }

  @Serves(holdLog)
  async hold(@Operator() operator: Operator, @Body() { reason }: ChangeReason): Promise<MadeChange> {
    return answer(await this.commands.execute(new MakeChange(operator, { operation: 'audit.hold', target, reason })));
  }
}
