import { operation } from '@app/http';
import { automationIdParameter } from '../views/automation.view';
import { type Reason } from '@app/kernel';
import { examples } from './automation-examples';
import { HandedInputDto, ListOccurrencesDto, SimulateDto, TestConditionDto } from '../views/automations.dto';
import { ConditionTest, Simulation } from '../simulation/evaluation.view';
import { InputOutcome } from '../use-cases/read-occurrences';
import { OccurrencePage } from '../views/occurrence.view';
import { Invoked, Signalled } from '../use-cases/give-input';

/** `automation_changed` also where the automation is paused. */
const handReasons: readonly Reason[] = [
  'automation_changed',
  'automation_completed',
  'automation_held',
  'deployment_paused',
];

const inputId = { description: 'An input of the automation', example: '019a3c5e-7d1c-7f00-8a4b-3f6b1c2d4e05' };

export const signalAutomation = operation('automations.signal', {
  route: 'POST /v1/users/:userId/automations/:automationId/signal',
  summary: 'Send the automation an event',
  description:
    'Treated as if a source had delivered it, whatever the wake and the type; the condition still decides. A repeated `idempotencyKey` is answered `duplicate`, whatever else the request holds.',
  parameters: { automationId: automationIdParameter },
  body: HandedInputDto,
  answer: Signalled,
  reasons: handReasons,
  examples: { body: examples.handBody, answer: examples.signalled },
});

export const invokeAutomation = operation('automations.invoke', {
  route: 'POST /v1/users/:userId/automations/:automationId/invoke',
  status: 202,
  summary: 'Fire the automation now',
  description:
    'Ignores the condition; overlap policy and budget still apply. The occurrence exists when the call returns, `rejected` with its reason where it cannot run. A repeated `idempotencyKey` is answered `duplicate`, whatever else the request holds.',
  parameters: { automationId: automationIdParameter },
  body: HandedInputDto,
  answer: Invoked,
  reasons: handReasons,
  examples: { body: examples.handBody, answer: examples.invoked },
});

export const listOccurrences = operation('automations.occurrences', {
  route: 'GET /v1/users/:userId/automations/:automationId/occurrences',
  summary: 'Occurrences, newest first',
  parameters: { automationId: automationIdParameter },
  query: ListOccurrencesDto,
  answer: OccurrencePage,
  examples: { answer: examples.occurrences },
});

export const readInputOutcome = operation('automations.input', {
  route: 'GET /v1/users/:userId/automations/:automationId/inputs/:inputId',
  summary: 'The outcome of an input',
  description: "Of a signal, an invocation or a webhook's event.",
  parameters: { automationId: automationIdParameter, inputId },
  answer: InputOutcome,
  examples: { answer: examples.input },
});

export const testCondition = operation('automations.testCondition', {
  route: 'POST /v1/users/:userId/automations/:automationId/test-condition',
  weight: 10,
  summary: 'Evaluate the condition once',
  description:
    'Against the given event, or else against retained data, in any state of the automation. Records nothing and fires nothing.',
  parameters: { automationId: automationIdParameter },
  body: TestConditionDto,
  answer: ConditionTest,
  examples: { body: { event: examples.event }, answer: examples.conditionTest },
});

export const simulateAutomation = operation('automations.simulate', {
  route: 'POST /v1/users/:userId/automations/:automationId/simulate',
  weight: 10,
  summary: 'Simulate the rule over the past',
  description:
    'Over retained data, in any state of the automation, as if an activation had started at `from`; runs count as ended immediately, and missing data is unknown. Records nothing; the same data give the same answer.',
  parameters: { automationId: automationIdParameter },
  body: SimulateDto,
  answer: Simulation,
  examples: { body: examples.simulateBody, answer: examples.simulation },
});
