import type { AutomationStatus } from '../use-cases/get-automation-status';
import type { AutomationView } from '../views/automation.view';
import type { ConditionTest, Simulation } from '../simulation/evaluation.view';
import type { InputOutcome } from '../use-cases/read-occurrences';
import type { OccurrencePage } from '../views/occurrence.view';
import type { SearchPage } from '../use-cases/search-automations';

/** Example answers and bodies for the documentation, consistent with each other: all of one automation. */

const wrappedNear = 'nep141:wrap.near';
const automationId = '019a3c60-1b2c-7d3e-8f40-51627384a5b6';
const revision = '1.019a3c60-1b2d-7a4b-9c5d-6e7f8091a2b3';
const at = '2026-11-21T09:05:00.000Z';
const occurrenceId = '5b0c9a5e-6a5e-5b0c-9a5e-0f3c2b7d9e11';
const inputId = '0c7d2f64-8f1a-5c3e-b2d4-7a6b5c4d3e2f';

const definition = {
  name: 'Tell me when NEAR is cheap',
  prompt: 'price of NEAR',
  conversation: 'new',
  wake: { kind: 'schedule', schedule: { kind: 'every', seconds: 300 } },
  condition: {
    bindings: [{ name: 'near', source: { kind: 'token_price', tokenId: wrappedNear }, maxAgeSeconds: 180 }],
    rule: { compare: { left: { binding: 'near', field: '/priceUsd' }, op: 'lt', right: { value: '2' } } },
  },
  firing: { trigger: 'edge', cooldownSeconds: 3600, overlap: 'skip', retryForSeconds: 900 },
} satisfies AutomationView['definition'];

const automation = {
  id: automationId,
  name: definition.name,
  state: 'enabled',
  revision,
  definitionVersion: 1,
  definition,
  contractApprovalId: null,
  held: false,
  nextRunAt: '2026-11-21T09:10:00.000Z',
  occurrences: 1,
  createdAt: '2026-11-21T08:00:00.000Z',
  updatedAt: '2026-11-21T08:00:00.000Z',
  archivedAt: null,
} satisfies AutomationView;

const latest = {
  id: occurrenceId,
  at,
  delivery: 'accepted',
  trigger: 'schedule',
  inputId: null,
  reason: null,
  runId: '3e5d7c91-2b4a-5f6e-8d7c-9b8a7f6e5d4c',
  conversationId: '7a1b2c3d-4e5f-5a6b-9c8d-7e6f5a4b3c2d',
  coalescedInto: null,
  attempts: 1,
} as const;

const status = {
  asOf: '2026-11-21T09:07:12.345Z',
  automationId,
  name: definition.name,
  state: 'enabled',
  monitoring: 'healthy',
  behavior: {
    text: 'Every 5 minutes, if the price of wNEAR is below $2, the task runs, but not again while that stays so. After a run it rests for 1 hour. What comes up while a run is under way is skipped. A run that cannot begin is tried again for 15 minutes.',
    truncated: false,
  },
  lastCheck: {
    at,
    condition: 'matched',
    facts: [{ label: 'price of wNEAR', value: '1.98', unit: 'USD', observedAt: at }],
    omittedFacts: 0,
  },
  issue: null,
  latestOccurrence: { at, delivery: 'accepted', reason: null, runId: latest.runId },
} satisfies AutomationStatus;

const search = {
  asOf: status.asOf,
  total: 1,
  items: [
    {
      automationId,
      name: definition.name,
      state: 'enabled',
      task: { text: definition.prompt, truncated: false },
    },
  ],
  nextOffset: null,
} satisfies SearchPage;

const conditionTest = {
  definitionVersion: 1,
  evaluation: {
    verdict: 'true',
    evaluatedAt: status.asOf,
    reasons: [],
    inputs: [
      {
        binding: 'near',
        sourceId: `token_price:${wrappedNear}`,
        eventId: '9d8c7b6a-5f4e-5d3c-8b2a-1f0e9d8c7b6a',
        receivedAt: '2026-11-21T09:07:00.000Z',
        maxAgeSeconds: 180,
        status: 'ready',
        reason: null,
        kind: 'snapshot',
        sourceTime: '2026-11-21T09:07:00.000Z',
      },
    ],
  },
} satisfies ConditionTest;

const simulation = {
  asOf: status.asOf,
  definitionVersion: 1,
  coverage: [
    {
      binding: 'near',
      sourceId: `token_price:${wrappedNear}`,
      due: 60,
      sampled: 58,
      ready: 58,
      unavailable: 0,
      omittedGaps: 0,
      gaps: [{ from: '2026-11-21T08:32:00.000Z', to: '2026-11-21T08:33:00.000Z' }],
    },
  ],
  evaluated: 12,
  matched: 1,
  unknown: 0,
  unresolved: [],
  truncated: false,
  fired: [{ at, wouldBe: 'fired', trigger: 'schedule' }],
} satisfies Simulation;

export const examples = {
  definition,
  automation,
  /** Revisions of the same automation after it was resumed and after an update. */
  revisions: {
    resumed: '1.019a3c6a-2c3d-7b4c-8d5e-6f7081920a1b',
    next: '2.019a3c6b-3d4e-7c5d-9e6f-708192a3b4c5',
  },
  revisionBody: { revision },
  updateBody: { revision, definition },
  handBody: { revision, idempotencyKey: '7c6b5a49-3827-4165-9f0e-d1c2b3a49586', input: { orderId: '4711' } },
  signalled: { status: 'recorded', inputId },
  invoked: { status: 'recorded', occurrenceId },
  input: { inputId, receivedAt: at, trigger: 'signal', outcome: 'fired', occurrenceId } satisfies InputOutcome,
  occurrences: { data: [latest], nextCursor: null } satisfies OccurrencePage,
  status,
  search,
  event: { id: 'order-4711', type: 'order.placed', occurredAt: '2026-11-21T09:04:58.000Z', data: { total: '12.50' } },
  conditionTest,
  simulateBody: { from: '2026-11-21T08:05:00.000Z', to: '2026-11-21T09:05:00.000Z' },
  simulation,
  secret: {
    secret: 'q83vASNFZ4mrze8BI0VniavN7wEjRWeJq83vASNFZ4k',
    signingSecret: 'whsec_q83vASNFZ4mrze8BI0VniavN7wEjRWeJq83vASNFZ4k=',
    keyId: '019a3c61-0d1e-7f20-8132-435465768798',
    path: '/hooks/v1/019a3c61-0d1e-7f20-8132-435465768798',
    definitionVersion: 1,
  },
} as const;
