import { operation, type OperationGroup } from '@app/http';
import { reasonedChange } from '../changes/operators.schema';
import { ListOperatedRunsDto, OperatedRun, OperatedRunPage, runsExamples, ShowRunDto } from './runs.schema';

export const operatorsRunsGroup: OperationGroup = { name: 'runs', description: 'Runs of all users' };

const runKey = {
  description: 'A run, whosever it is, by its id inside the deployment',
  example: runsExamples.run.runKey,
};
const reason = 'it hangs';

export const listOperatedRuns = operation('runs.list', {
  route: 'GET /operator/v1/runs',
  scope: 'runs',
  summary: 'List runs, newest first',
  description: 'Those that are in a state, or all of a user, ended ones as well.',
  query: ListOperatedRunsDto,
  answer: OperatedRunPage,
  examples: { answer: runsExamples.page },
});

export const showRun = operation('runs.show', {
  route: 'GET /operator/v1/runs/:runKey',
  scope: 'runs',
  summary: 'A run, and who executes it',
  description: 'By its id inside the deployment; or, with `user`, by the id that its user chose.',
  parameters: { runKey },
  query: ShowRunDto,
  answer: OperatedRun,
  examples: { answer: runsExamples.run },
});

export const abortOperatedRun = operation('runs.abort', {
  route: 'POST /operator/v1/runs/:runKey/abort',
  scope: 'runs',
  waits: true,
  summary: 'Stop a run',
  description:
    "Waits at most 20 s for the engine's cleanup; after `stop_pending` the stop goes on: a run that no worker holds is ended by the one that takes it next. A waiting run ends, and its approvals expire, where no other run is live.",
  parameters: { runKey },
  reasons: ['run_not_active', 'stop_pending'],
  ...reasonedChange('runs.abort', runKey.example, reason),
});

export const releaseRun = operation('runs.release', {
  route: 'POST /operator/v1/runs/:runKey/release',
  scope: 'runs',
  summary: 'Take a run from its worker',
  description:
    'Another worker, or the same one, takes it at once and goes on from the last recorded step; what its predecessor still does is not recorded any more.',
  parameters: { runKey },
  reasons: ['run_not_active'],
  ...reasonedChange('runs.release', runKey.example, reason),
});
