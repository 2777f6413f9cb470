import { Body, Controller, Param, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { answer, Operator, PageQuery, Serves } from '@app/http';
import { v7 as uuidV7 } from 'uuid';
import {
  ListDifferences,
  ListDifferencesHandler,
  ListProjections,
  ListProjectionsHandler,
  ListRebuilds,
  ListRebuildsHandler,
  ShowRebuild,
  ShowRebuildHandler,
} from './show-projections';
import { makeChange } from '../changes/make-change';
import { ChangeReason, type MadeChange } from '../changes/operators.schema';
import * as contracts from './projections.contract';
import { SkipDto, StartRebuildDto, SwitchDto } from './projections.schema';
import type { DifferencePage, ProjectionList, Rebuild, RebuildList, StartedRebuild } from './projections.schema';

@Controller()
export class OperatorsProjectionsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Serves(contracts.listProjections)
  async list(): Promise<ProjectionList> {
    return this.queries.execute(new ListProjections());
  }

  @Serves(contracts.rebuildProjection)
  async rebuild(
    @Operator() operator: Operator,
    @Param('projection') projection: string,
    @Body() { reason, pace = 'gentle' }: StartRebuildDto,
  ): Promise<StartedRebuild> {
    const rebuildId = uuidV7();
    const parameters = { rebuildId, pace };
    const change = { operation: 'projections.rebuild', target: projection, parameters, reason } as const;
    await makeChange(this.commands, operator, change);
    return { rebuildId };
  }

  @Serves(contracts.skipEvent)
  async skip(
    @Operator() operator: Operator,
    @Param('projection') projection: string,
    @Body() { stream, revision, reason }: SkipDto,
  ): Promise<MadeChange> {
    const parameters = { stream, revision };
    return makeChange(this.commands, operator, {
      operation: 'projections.skip',
      target: projection,
      parameters,
      reason,
    });
  }

  @Serves(contracts.listRebuilds)
  async rebuilds(): Promise<RebuildList> {
    return this.queries.execute(new ListRebuilds());
  }

  @Serves(contracts.showRebuild)
  async show(@Param('rebuildId') rebuildId: string): Promise<Rebuild> {
    return answer(await this.queries.execute(new ShowRebuild(rebuildId)));
  }

  @Serves(contracts.listDifferences)
  async differences(
    @Operator() operator: Operator,
    @Param('rebuildId') rebuildId: string,
    @Query() query: PageQuery,
  ): Promise<DifferencePage> {
    return answer(await this.queries.execute(new ListDifferences(operator, rebuildId, query)));
  }

  @Serves(contracts.switchRebuild)
  async switchOver(
    @Operator() operator: Operator,
    @Param('rebuildId') rebuildId: string,
    @Body() { reason, digest }: SwitchDto,
  ): Promise<MadeChange> {
    const parameters = digest === undefined ? {} : { digest };
    return makeChange(this.commands, operator, { operation: 'rebuilds.switch', target: rebuildId, parameters, reason });
  }

  @Serves(contracts.rollBackRebuild)
  async rollBack(
    @Operator() operator: Operator,
    @Param('rebuildId') rebuildId: string,
    @Body() { reason }: ChangeReason,
  ): Promise<MadeChange> {
    return makeChange(this.commands, operator, { operation: 'rebuilds.rollback', target: rebuildId, reason });
  }

  @Serves(contracts.discardRebuild)
  async discard(
    @Operator() operator: Operator,
    @Param('rebuildId') rebuildId: string,
    @Body() { reason }: ChangeReason,
  ): Promise<MadeChange> {
    return makeChange(this.commands, operator, { operation: 'rebuilds.discard', target: rebuildId, reason });
  }
}

/** Handlers of the queries that the controller executes. */
export const operatorsProjectionsHandlers = [
  ListDifferencesHandler,
  ListProjectionsHandler,
  ListRebuildsHandler,
  ShowRebuildHandler,
];
