import { Body, Controller, Get, Header, HttpCode, Param, Post, Query } from '@nestjs/common';
import { answer, Caller, Cursors, jsonText, Operation, pageTextOf } from '@app/http';
import { notFound, refuse, type RunId } from '@app/kernel';
import { AbortRun } from './abort-run';
import { runKeyOf } from './run-binding';
import { AbortedRun, Run, runExamples, RunPage, StartedRun, type RunView } from './run.schema';
import { ListRunsDto, StartRunDto } from './runs.dto';
import { RunQueries, runView } from './runs.queries';
import { StartRun } from './start-run';

/** Agent runs (specification, "Agent runs"; docs/decisions/runs.md). */
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
  @Operation('runs.start', {
    summary: 'Start a run',
    description:
      'Answered as soon as the work is accepted; the journal tells what comes of it. With a `runId` of its own a client may send ' +
      'the same request again, at any time: the recorded run is answered, and nothing of it changes. An unknown model is 400 at ' +
      '`/profile/model`.',
    takes: StartRunDto,
    answer: StartedRun,
    reasons: [
      'run_active',
      'budget_exhausted',
      'execution_capacity',
      'execution_unavailable',
      'profile_unknown_tool',
      'deployment_paused',
      'engine_unavailable',
    ],
    requestExample: runExamples.start,
    answerExample: runExamples.started,
  })
  async start(@Caller() caller: Caller, @Body() body: unknown): Promise<StartedRun> {
    return answer(await this.starting.start(caller.userId, body, caller.cause));
  }

  @Get()
  @Header(...jsonText)
  @Operation('runs.list', {
    summary: "The user's runs, newest first",
    answer: RunPage,
    answerExample: runExamples.page,
  })
  async list(@Caller() { userId }: Caller, @Query() query: ListRunsDto): Promise<string> {
    const { cursor, limit } = query;
    const conversationId = query.conversationId ?? null;
    const binding = { list: 'runs.list', userId, filters: { conversationId } };
    const before = cursor === undefined ? null : Number(answer(this.cursors.read(binding, cursor))[0]);
    const [rows, total] = await Promise.all([
      this.queries.list(userId, conversationId, before, limit + 1),
      this.queries.total(userId, conversationId),
    ]);
    return pageTextOf(rows, limit, ({ position }) => this.cursors.mint(binding, [position]), total);
  }

  @Get(':runId')
  @Operation('runs.get', {
    summary: 'One run',
    description: 'A completed run is no evidence of settlement: `financialOperations.get` is.',
    answer: Run,
    answerExample: runExamples.ended,
  })
  async get(@Caller() { userId }: Caller, @Param('runId') runId: RunId): Promise<RunView> {
    const row = await this.queries.findAsOfNow(runKeyOf(userId, runId));
    return row === null ? answer(refuse(notFound)) : runView(row);
  }

  @Post(':runId/abort')
  @HttpCode(200)
  @Operation('runs.abort', {
    summary: 'Stop a run',
    description:
      "Waits at most 20 s for the engine's cleanup; after `stop_pending` the stop goes on. A waiting run ends, and its approvals " +
      'expire, where no other run is live. A run that has ended already, or whose worker was lost, answers `aborted: false`.',
    answer: AbortedRun,
    reasons: ['run_not_active', 'stop_pending', 'execution_unavailable'],
    answerExample: { aborted: true },
  })
  async abort(@Caller() caller: Caller, @Param('runId') runId: RunId): Promise<{ aborted: boolean }> {
    return answer(await this.aborting.abort(caller.userId, runId, caller.cause));
  }
}
