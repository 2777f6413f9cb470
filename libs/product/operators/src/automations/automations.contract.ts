import { ExplainedAutomation } from '@app/automations';
import { operation, type OperationGroup } from '@app/http';
import { automationsExamples, ListOperatedAutomationsDto, OperatedAutomationPage } from './automations.schema';
import { reasonedChange } from '../changes/operators.schema';

export const operatorsAutomationsGroup: OperationGroup = {
  name: 'automations',
  description: 'Automations of all users',
};

const automationId = {
  description: 'An automation, whosever it is',
  example: '019a3c5e-7d1c-7f00-8a4b-3f6b1c2d4e05',
};

export const listOperatedAutomations = operation('automations.list', {
  route: 'GET /operator/v1/automations',
  scope: 'automations',
  summary: 'List automations that are in a state, newest first',
  query: ListOperatedAutomationsDto,
  answer: OperatedAutomationPage,
  examples: { answer: automationsExamples.page },
});

export const showAutomation = operation('automations.show', {
  route: 'GET /operator/v1/automations/:automationId',
  scope: 'automations',
  summary: 'An automation, and why it does not fire',
  description:
    'Its definition in words, its last evaluation with what it read, each reason why it does not fire, and what would have to be. What users, agents and events wrote is in quotation marks. The look is logged.',
  parameters: { automationId },
  answer: ExplainedAutomation,
  examples: { answer: automationsExamples.explained },
});

export const holdAutomation = operation('automations.hold', {
  route: 'POST /operator/v1/automations/:automationId/hold',
  scope: 'automations',
  summary: 'Keep an automation from firing',
  description: 'Until it is released, whatever its user does. Runs that it has started go on. Idempotent.',
  parameters: { automationId },
  ...reasonedChange('automations.hold', automationId.example, 'it spends too much'),
});

export const releaseAutomation = operation('automations.release', {
  route: 'POST /operator/v1/automations/:automationId/release',
  scope: 'automations',
  summary: 'Let a held automation fire again',
  description: 'Idempotent.',
  parameters: { automationId },
  ...reasonedChange('automations.release', automationId.example, 'its user mended it'),
});
