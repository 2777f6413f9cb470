import { operation, type OperationGroup } from '@app/http';
import { automationIdParameter } from '../views/automation.view';
import { AutomationStatus } from '../use-cases/get-automation-status';
import { examples } from './automation-examples';
import { AutomationPage, AutomationShape } from '../views/automation.view';
import { ListAutomationsDto, RevisionDto, SearchAutomationsDto, UpdateAutomationDto } from '../views/automations.dto';
import { definitionShape } from '../definition/definition.schema';
import { SearchPage } from '../use-cases/search-automations';
import { WebhookSecret } from '../use-cases/rotate-webhook-key';

export const automationsGroup: OperationGroup = {
  name: 'automations',
  description: 'Rules that fire on schedules and events',
};

export const createAutomation = operation('automations.create', {
  route: 'POST /v1/users/:userId/automations',
  status: 201,
  summary: 'Define an automation',
  description:
    'Enabled immediately. A `contract` opens an approval of kind `automation_contract`, which the user decides separately.',
  body: { readByHandler: definitionShape },
  answer: AutomationShape,
  reasons: ['automation_invalid', 'automation_limit', 'provider_unavailable'],
  examples: { body: examples.definition, answer: examples.automation },
});

export const listAutomations = operation('automations.list', {
  route: 'GET /v1/users/:userId/automations',
  summary: 'Automations, newest first',
  query: ListAutomationsDto,
  answer: AutomationPage,
  examples: { answer: { data: [examples.automation], nextCursor: null, total: 1 } },
});

export const searchAutomations = operation('automations.search', {
  route: 'GET /v1/users/:userId/automations/search',
  summary: 'Search automations by words',
  description:
    'Searches the name, the prompt and the description of the rule in plain words. A page holds at most 5 automations and 8 KiB.',
  query: SearchAutomationsDto,
  answer: SearchPage,
  examples: { answer: examples.search },
});

export const getAutomation = operation('automations.get', {
  route: 'GET /v1/users/:userId/automations/:automationId',
  summary: 'An automation with its definition',
  parameters: { automationId: automationIdParameter },
  answer: AutomationShape,
  examples: { answer: examples.automation },
});

export const updateAutomation = operation('automations.update', {
  route: 'PUT /v1/users/:userId/automations/:automationId',
  summary: 'Replace the definition of an automation',
  description:
    'Stores a new version and starts a new activation: cancels pending occurrences; edges, cooldown and the anchor of `every` start over; counts stay.',
  parameters: { automationId: automationIdParameter },
  body: UpdateAutomationDto,
  answer: AutomationShape,
  reasons: ['automation_changed', 'automation_invalid', 'automation_completed', 'provider_unavailable'],
  examples: {
    body: examples.updateBody,
    answer: { ...examples.automation, revision: examples.revisions.next, definitionVersion: 2 },
  },
});

export const removeAutomation = operation('automations.remove', {
  route: 'DELETE /v1/users/:userId/automations/:automationId',
  status: 204,
  summary: 'Archive an automation for good',
  description: 'Idempotent. The automation stops firing and cannot be resumed; it stays readable.',
  parameters: { automationId: automationIdParameter },
  answer: null,
  reasons: ['automation_changed'],
});

export const pauseAutomation = operation('automations.pause', {
  route: 'POST /v1/users/:userId/automations/:automationId/pause',
  summary: 'Pause an automation',
  description: 'Cancels pending occurrences; no-op when already paused.',
  parameters: { automationId: automationIdParameter },
  body: RevisionDto,
  answer: AutomationShape,
  reasons: ['automation_changed', 'automation_completed'],
  examples: { body: examples.revisionBody, answer: { ...examples.automation, state: 'paused', nextRunAt: null } },
});

export const resumeAutomation = operation('automations.resume', {
  route: 'POST /v1/users/:userId/automations/:automationId/resume',
  summary: 'Resume an automation',
  description: 'Starts a new activation, with a new `revision`; no-op when already enabled.',
  parameters: { automationId: automationIdParameter },
  body: RevisionDto,
  answer: AutomationShape,
  reasons: ['automation_changed', 'automation_completed'],
  examples: { body: examples.revisionBody, answer: { ...examples.automation, revision: examples.revisions.resumed } },
});

export const readAutomationStatus = operation('automations.status', {
  route: 'GET /v1/users/:userId/automations/:automationId/status',
  summary: 'How an automation is doing',
  description: 'A summary of fixed size in reviewed words, to show in a conversation; never the raw definition.',
  parameters: { automationId: automationIdParameter },
  answer: AutomationStatus,
  examples: { answer: examples.status },
});

export const rotateWebhookSecret = operation('automations.rotateWebhookSecret', {
  route: 'POST /v1/users/:userId/automations/:automationId/rotate-webhook-secret',
  summary: 'Mint a new webhook secret',
  description:
    'The previous secret is refused from the next request on. Also answers `automation_changed` when the automation is not enabled, or is not woken by events.',
  parameters: { automationId: automationIdParameter },
  body: RevisionDto,
  answer: WebhookSecret,
  reasons: ['automation_changed'],
  examples: { body: examples.revisionBody, answer: examples.secret },
});
