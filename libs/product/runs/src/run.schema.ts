import { Resolved, RunFailure, RunRequest, RunResponse, untuned, Usage } from '@app/conversations';
import { countedPageOfShape, instant, integer, json, list, nullable, oneOf, orErased, shape } from '@app/schema';
import { boolean, uuid, type Shaped } from '@app/schema';
import { runStatuses } from './runs.projection';

const status = oneOf(runStatuses, {
  description:
    '`queued`, `running` and `stopping` hold the conversation; a run that is `waiting` to start or waits for approval does not. The last three are final',
});

/** Run (docs/decisions/runs.md). */
export const Run = shape('Run', {
  id: uuid({ description: 'Stays the same across approvals and continuations' }),
  conversationId: uuid(),
  origin: oneOf(['user', 'automation'], { description: 'Who started it: the user, or an occurrence of an automation' }),
  automationId: nullable(uuid(), { description: 'Of the automation that started it' }),
  occurrenceId: nullable(uuid(), { description: 'Of the occurrence that started it' }),
  request: orErased(RunRequest),
  resolved: Resolved,
  response: orErased(nullable(RunResponse, { description: "The assistant's last word, once completed" })),
  output: orErased(
    json({ description: 'What satisfies `outputSchema`, once completed; null where none was asked for' }),
  ),
  status,
  segment: integer({ min: 1, description: 'One more at each continuation after approvals' }),
  pendingApprovalIds: list(uuid(), { description: 'What it waits for' }),
  usage: Usage,
  failure: nullable(RunFailure, { description: 'Of a run that failed' }),
  createdAt: instant({ description: 'When it was accepted' }),
  startedAt: nullable(instant(), { description: 'When a worker first took it' }),
  endedAt: nullable(instant(), { description: 'Null as long as it goes on, or waits' }),
});
export type RunView = Shaped<typeof Run>;

export const RunPage = countedPageOfShape('Run', Run);
export type RunPage = Shaped<typeof RunPage>;

/** 202 of `runs.start`. */
export const StartedRun = shape('StartedRun', {
  runId: uuid({ description: 'Given, or made by the service' }),
  conversationId: uuid(),
  status,
  seq: integer({
    min: 1,
    description:
      "Of the run's `run.started`, or `input.queued` while it waits: a stream opened at this cursor shows all that follows",
  }),
});
export type StartedRun = Shaped<typeof StartedRun>;

export const AbortedRun = shape('AbortedRun', {
  aborted: boolean({ description: 'Whether this very call ended the run' }),
});
export type AbortedRun = Shaped<typeof AbortedRun>;

const run: RunView = {
  id: '019a3c5f-2b44-7c19-8d03-6e1f4a9b7c02',
  conversationId: '019a3c5e-8f10-7a31-9c42-1b7d5e2f6a01',
  origin: 'user',
  automationId: null,
  occurrenceId: null,
  request: {
    input: { text: 'what is my balance' },
    profile: { tools: ['wallet_balances', 'token_price'] },
  },
  resolved: { model: 'parley/rules', tools: ['wallet_balances', 'token_price'], maxSteps: 16, ...untuned },
  response: { text: 'You have 250 USDC and 40 wNEAR.', truncated: false },
  output: null,
  status: 'completed',
  segment: 1,
  pendingApprovalIds: [],
  usage: { inputTokens: 412, cachedInputTokens: 0, outputTokens: 38, costCents: 2, estimated: false },
  failure: null,
  createdAt: '2026-11-21T09:15:42.090Z',
  startedAt: '2026-11-21T09:15:42.118Z',
  endedAt: '2026-11-21T09:15:43.501Z',
};

/** True examples: one run, from its start to its end. */
export const runExamples = {
  start: {
    conversationId: run.conversationId,
    runId: run.id,
    input: { text: 'what is my balance' },
    profile: { tools: ['wallet_balances', 'token_price'] },
  },
  started: { runId: run.id, conversationId: run.conversationId, status: 'queued', seq: 2 },
  ended: run,
  page: { data: [run], nextCursor: null, total: 1 },
} as const satisfies { started: StartedRun; ended: RunView; page: RunPage; start: object };
