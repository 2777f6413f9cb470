import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { answer, Caller, Cursors, Operation, pageOf, type Page } from '@app/http';
import { notFound, refuse, type RunId } from '@app/kernel';
import { AbortRun } from './abort-run';
import { runKeyOf } from './run-binding';
import { ListRunsDto } from './runs.dto';
import { RunQueries, runView, type RunView } from './runs.queries';
import { StartRun, type StartedRun } from './start-run';

/** Agent runs (specification, "Agent runs"; decisions.md, section 3). */
@Controller('/v1/users/:userId/agent-runs')
export class RunsController {
  constructor(
    private readonly starting: StartRun,
    private readonly aborting: AbortRun,
    private readonly queries: RunQueries,
    private readonly cursors: Cursors,
  ) {}

  // The body is validated by the use case: a replay comes first.
  @Post()
  @HttpCode(202)
  @Operation('runs.start')
  async start(@Caller() caller: Caller, @Body() body: unknown): Promise<StartedRun> {
    return answer(await this.starting.start(caller.userId, body, caller.cause));
  }

  @Get()
  @Operation('runs.list')
  async list(@Caller() { userId }: Caller, @Query() query: ListRunsDto): Promise<Page<RunView> & { total: number }> {
    const { cursor, limit } = query;
    const conversationId = query.conversationId ?? null;
    const binding = { list: 'runs.list', userId, filters: { conversationId } };
    const before = cursor === undefined ? null : Number(answer(this.cursors.read(binding, cursor))[0]);
    const [rows, total] = await Promise.all([
      this.queries.list(userId, conversationId, before, limit + 1),
      this.queries.total(userId, conversationId),
    ]);
    return { ...pageOf(rows, limit, runView, (row) => this.cursors.mint(binding, [row.openedPosition])), total };
  }

  @Get(':runId')
  @Operation('runs.get')
  async get(@Caller() { userId }: Caller, @Param('runId') runId: RunId): Promise<RunView> {
    const row = await this.queries.findAsOfNow(runKeyOf(userId, runId));
    return row === null ? answer(refuse(notFound)) : runView(row);
  }

  @Post(':runId/abort')
  @HttpCode(200)
  @Operation('runs.abort')
  async abort(@Caller() caller: Caller, @Param('runId') runId: RunId): Promise<{ aborted: boolean }> {
    return answer(await this.aborting.abort(caller.userId, runId, caller.cause));
  }
}
