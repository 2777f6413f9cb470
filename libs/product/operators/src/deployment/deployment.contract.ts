import { controls } from '@app/deployment';
import { operation, PageQuery, type OperationGroup } from '@app/http';
import { DeploymentState, deploymentExample } from './deployment.schema';
import { LogPage, operatorsExamples, reasonedChange } from '../changes/operators.schema';

export const controlsGroup: OperationGroup = {
  name: 'controls',
  description: 'What the deployment takes on',
};

export const deploymentGroup: OperationGroup = {
  name: 'deployment',
  description: 'Who works, who leads what, and how each part is',
};

export const logGroup: OperationGroup = {
  name: 'log',
  description: 'What operators did',
};

const control = {
  description: 'Which: `runs`, `automations` or `withdrawals`',
  example: 'withdrawals',
  values: controls,
};
const reason = 'the provider has an incident';

export const showDeployment = operation('deployment.show', {
  route: 'GET /operator/v1/deployment',
  scope: 'deployment',
  summary: 'What the deployment takes on, and how it is',
  answer: DeploymentState,
  examples: { answer: deploymentExample },
});

export const pauseControl = operation('controls.pause', {
  route: 'POST /operator/v1/deployment/controls/:control/pause',
  scope: 'deployment',
  summary: 'Take on no more',
  description:
    'Work already admitted goes on. `runs` stops `runs.start`; `automations` stops signal, invoke, evaluation and firing, while webhooks are recorded; `withdrawals` stops prepare, confirm and transfers by agents. Idempotent; when it answers, every replica goes by it.',
  parameters: { control },
  ...reasonedChange('controls.pause', control.example, reason),
});

export const resumeControl = operation('controls.resume', {
  route: 'POST /operator/v1/deployment/controls/:control/resume',
  scope: 'deployment',
  summary: 'Take on work again',
  description: 'Idempotent; when it answers, every replica goes by it.',
  parameters: { control },
  ...reasonedChange('controls.resume', control.example, reason),
});

export const listLog = operation('log.list', {
  route: 'GET /operator/v1/log',
  scope: 'deployment',
  summary: 'List what operators did, newest first',
  description:
    'Every change is logged before anything of it is done, and once more when it is done or refused; every look at people’s data before it is answered.',
  query: PageQuery,
  answer: LogPage,
  examples: { answer: operatorsExamples.log },
});
