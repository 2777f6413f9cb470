import { operation, type OperationGroup } from '@app/http';
import { AbortedRun, Run, runExamples, RunPage, StartedRun } from './run.schema';
import { ListRunsDto, StartRunDto } from './runs.dto';

export const runsGroup: OperationGroup = { name: 'runs', description: 'Agent runs: started, followed, stopped' };

const runId = { description: 'A run of the user, by its public id', example: '019a3c5e-7d1c-7f00-8a4b-3f6b1c2d4e02' };

export const startRun = operation('runs.start', {
  route: 'POST /v1/users/:userId/agent-runs',
  status: 202,
  summary: 'Start a run',
  description:
    'Answers as soon as the work is accepted; follow the journal for its outcome. A client that chooses the `runId` may repeat the ' +
    'request at any time: it gets the recorded run, unchanged. An unknown model is a 400 at `/profile/model`.',
  body: { readByHandler: StartRunDto },
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
  examples: { body: runExamples.start, answer: runExamples.started },
});

export const listRuns = operation('runs.list', {
  route: 'GET /v1/users/:userId/agent-runs',
  summary: "The user's runs, newest first",
  query: ListRunsDto,
  answer: RunPage,
  examples: { answer: runExamples.page },
});

export const getRun = operation('runs.get', {
  route: 'GET /v1/users/:userId/agent-runs/:runId',
  summary: 'One run',
  description: 'A completed run is not evidence of settlement; `financialOperations.get` is.',
  parameters: { runId },
  answer: Run,
  examples: { answer: runExamples.ended },
});

export const abortRun = operation('runs.abort', {
  route: 'POST /v1/users/:userId/agent-runs/:runId/abort',
  summary: 'Stop a run',
  waits: true,
  description:
    "Waits at most 20 s for the engine's cleanup; after `stop_pending` the stop goes on. A waiting run ends, and its approvals " +
    'expire, where no other run is live. A run that has ended already, or whose worker was lost, answers `aborted: false`.',
  parameters: { runId },
  body: 'none',
  answer: AbortedRun,
  reasons: ['run_not_active', 'stop_pending', 'execution_unavailable'],
  examples: { answer: { aborted: true } },
});
