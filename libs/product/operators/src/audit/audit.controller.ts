import { Controller, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { answer, Operator, PageQuery, Serves } from '@app/http';
import { listCheckpoints, listUnresolved } from './audit.contract';
import type { LogCheckpointPage, UnresolvedOperationPage } from './audit.schema';
import { ListCheckpoints, ListCheckpointsHandler, ListUnresolved, ListUnresolvedHandler } from './audit-lists';

@Controller()
export class OperatorsAuditController {
  constructor(private readonly queries: QueryBus) {}

  @Serves(listCheckpoints)
  async checkpoints(@Operator() operator: Operator, @Query() query: PageQuery): Promise<LogCheckpointPage> {
    return answer(await this.queries.execute(new ListCheckpoints(operator, query)));
  }

  @Serves(listUnresolved)
  async unresolved(@Operator() operator: Operator, @Query() query: PageQuery): Promise<UnresolvedOperationPage> {
    return answer(await this.queries.execute(new ListUnresolved(operator, query)));
  }
}

/** Handlers of the queries that the controller executes. */
export const operatorsAuditHandlers = [ListCheckpointsHandler, ListUnresolvedHandler];
