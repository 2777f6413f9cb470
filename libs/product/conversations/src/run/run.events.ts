import { exampleIds } from '@app/consent';
import type { ApprovalId, Instant, MessageId, ProcessId, RunId, RunKey, ToolCallId, UserId } from '@app/kernel';
import { boolean, clear, event, integer, internal, json, list, nullable, oneOf, personal, text } from '@app/schema';
import { uuid, type EventOf } from '@app/schema';
import { steered } from './queue.events';
import { RunFailure, RunRequest, RunResponse, Usage, type ResolvedRun } from './run.schema';

export const runOrigins = ['user', 'automation'] as const;
export type RunOrigin = (typeof runOrigins)[number];
const runEndStatuses = ['completed', 'failed', 'aborted'] as const;
export type RunEndStatus = (typeof runEndStatuses)[number];
const toolOutcomes = ['ok', 'error', 'denied', 'expired'] as const;
export type ToolOutcome = (typeof toolOutcomes)[number];

const runId = clear(uuid<RunId>());
const segment = clear(integer({ min: 1, description: 'One more at each continuation after approvals' }));
const approvalIds = clear(list(uuid<ApprovalId>(), { min: 1 }));
const messageId = clear(uuid<MessageId>({ description: "Of the message in the conversation's messages" }));
/** Unique for one user, since clients choose ids of runs. */
export const toolCallId = clear(
  text<ToolCallId>({
    pattern: /^[0-9a-f-]{36}\/[1-9][0-9]*\/[0-9]+$/,
    description: '`runId/step/index`; the same in `tool.called` and `tool.returned`',
  }),
);
/** The run's id inside the deployment. */
const runKey = clear(internal<RunKey>());
const userId = clear(internal<UserId>());
const segmentCostCents = clear(internal<number>());
/**
 * The process that executes the segment from its begin on, without a claim of its own; null: the process that claims it. Since versions 3
 * (`run.started`) and 2 (`run.resumed`).
 */
const holder = clear(internal<ProcessId | null>());

export const exampleCallId = '019a3c61-0b10-7e44-9a5b-2f7c8d1e6a01/1/0';
/** The ids of the examples, which form the story of a user's withdrawal by the agent. */
const ids = {
  run: exampleIds.run,
  approval: exampleIds.approval,
  call: exampleCallId,
};
export const exampleMessages = {
  said: '019a3c61-7d90-7c11-b2e4-8a6f5d3c9b08',
  thought: '019a3c61-7d91-7f20-8c55-0e9b7a6d4c13',
};
const usage = { inputTokens: 388, cachedInputTokens: 0, outputTokens: 41, costCents: 1, estimated: false };
export const exampleToken = 'nep141:17208628f84f5d6ad33f0da3bbbeb27ffcb398eac501a31bd6ad2011e36133a1';
/** UUIDv5 of the approval, as for every transfer of the agent. */
export const exampleOperationId = '0a5be28c-7585-541f-a3b0-7f7bdcdc09cf';

const started = event('run.started', 'A run was admitted; it holds the conversation until it waits or ends.', {
  public: {
    runId,
    origin: clear(oneOf(runOrigins)),
    automationId: clear(nullable(uuid())),
    occurrenceId: clear(nullable(uuid(), { description: 'Of the occurrence that started it' })),
    request: personal(RunRequest),
  },
  /** Its resolution and its agent's instructions, its owner, the input's message, and since when it was queued (null: never). */
  private: {
    runKey,
    userId,
    queuedAt: clear(internal<Instant | null>()),
    messageId: clear(internal<MessageId>()),
    resolved: clear(internal<ResolvedRun>()),
    /** The deployment's own words. */
    agentInstructions: clear(internal<string | null>()),
    holder,
  },
  example: {
    runId: ids.run,
    origin: 'user',
    automationId: null,
    occurrenceId: null,
    request: { input: { text: 'withdraw 1.5 USDC' }, profile: { tools: ['wallet_balances', 'intents_transfer'] } },
  },
});

const claimed = event(
  'run.claimed',
  'A worker has taken a segment that was not handed to it, or taken it over from one that was lost.',
  {
    public: { runId, segment, attempt: clear(integer({ min: 1, description: 'How often the run was taken' })) },
    private: { runKey },
    example: { runId: ids.run, segment: 1, attempt: 1 },
  },
);

const suspended = event('run.suspended', 'The run waits for approvals, and does not hold the conversation meanwhile.', {
  /** `usage` is that of the whole run so far. */
  public: { runId, segment, approvalIds, usage: clear(Usage) },
  /** The run's owner, and the cost of the segment that is over. */
  private: { runKey, userId, segmentCostCents },
  example: { runId: ids.run, segment: 1, approvalIds: [ids.approval], usage },
});

const resumed = event('run.resumed', 'Nothing is pending any more: the run goes on.', {
  public: { runId, segment, approvalIds },
  private: { runKey, holder },
  example: { runId: ids.run, segment: 2, approvalIds: [ids.approval] },
});

const stopping = event('run.stopping', 'The run was asked to stop; it can only end as aborted.', {
  public: { runId },
  private: { runKey },
  example: { runId: '019a3c64-1f02-7b8a-8c9d-5e4f6a7b3c0a' },
});

const ended = event('run.ended', 'The run is over.', {
  public: {
    runId,
    status: clear(oneOf(runEndStatuses)),
    response: personal(nullable(RunResponse, { description: "The assistant's last word, of a completed run" })),
    output: personal(json({ description: 'What satisfies `outputSchema`; null where none was asked for' })),
    failure: clear(nullable(RunFailure, { description: 'Of a failed run' })),
    usage: clear(Usage),
  },
  /** The run's owner, the segment that ended, and its cost. */
  private: { runKey, userId, segment: clear(internal<number>()), segmentCostCents },
  example: {
    runId: ids.run,
    status: 'completed',
    response: { text: 'The withdrawal of 1.5 USDC is on its way.', truncated: false },
    output: null,
    failure: null,
    usage: { inputTokens: 902, cachedInputTokens: 256, outputTokens: 63, costCents: 2, estimated: false },
  },
});

const step = event('agent.step', "The model has answered once; first of its step's events.", {
  public: {
    runId,
    step: clear(integer({ min: 1, description: 'Counted over the whole run' })),
    model: clear(
      nullable(text(), {
        description:
          "Which answered: the run's, or one of the deployment's fallbacks; null in steps of before there were any",
      }),
    ),
    /** The step's usage; `costCents` is the amount that the step adds to its segment's cost, so that steps add up. */
    usage: clear(Usage),
  },
  /** The exact cost, rounded up once per segment, and how many messages that had joined the run were new to the model (since 4). */
  private: { runKey, costMicroCents: clear(internal<number>()), heard: clear(internal<number>()) },
  example: { runId: ids.run, step: 1, model: 'parley/rules', usage },
});

const reasoning = event(
  'agent.reasoning',
  'What the model thought before it spoke or called, where it shows that and `profile.reasoning` is not false; it replaces the deltas of its `messageId`.',
  {
    public: {
      runId,
      messageId: clear(uuid<MessageId>({ description: 'Its own; it is no message of the conversation' })),
      text: personal(text()),
      truncated: clear(
        boolean({ description: 'Whether it is shorter than what was thought: by our bound, an abort, or trouble' }),
      ),
    },
    private: { runKey },
    example: {
      runId: ids.run,
      messageId: exampleMessages.thought,
      text: 'The user wants to withdraw 1.5 USDC. The balance allows it.',
      truncated: false,
    },
  },
);

const message = event('agent.message', 'The agent has said something; it replaces the deltas of its `messageId`.', {
  public: {
    runId,
    messageId,
    text: personal(text()),
    truncated: clear(
      boolean({
        description: 'Whether it ended before its end: by the output limit, an abort, or trouble of the provider',
      }),
    ),
  },
  private: { runKey },
  example: {
    runId: ids.run,
    messageId: exampleMessages.said,
    text: 'The withdrawal of 1.5 USDC is on its way.',
    truncated: false,
  },
});

const called = event('tool.called', 'The agent calls a tool.', {
  public: {
    runId,
    toolCallId,
    tool: clear(text({ min: 1, description: 'A tool of the run; `unknown` where the model named none of them' })),
    input: personal(json({ description: "As the tool's own schema has it" })),
  },
  private: { runKey },
  example: {
    runId: ids.run,
    toolCallId: ids.call,
    tool: 'intents_transfer',
    input: {
      contract: {
        type: 'ledger_intents_transfer',
        actions: [
          {
            kind: 'withdraw_to_owner',
            input: { pinned: { tokenId: exampleToken, decimals: 6 } },
            quantity: { kind: 'exact_input_tokens', amountRaw: '1500000' },
          },
        ],
      },
    },
  },
});

const returned = event('tool.returned', 'A call is over.', {
  public: {
    runId,
    toolCallId,
    outcome: clear(oneOf(toolOutcomes, { description: '`denied` and `expired` are calls whose approval was' })),
    result: personal(json()),
  },
  private: { runKey },
  example: {
    runId: ids.run,
    toolCallId: ids.call,
    outcome: 'ok',
    result: { operationId: exampleOperationId, status: 'submitted' },
  },
});

/** The facts of a run, in its conversation's stream. */
export const runEvents = {
  started,
  claimed,
  suspended,
  resumed,
  stopping,
  ended,
  step,
  reasoning,
  message,
  called,
  returned,
  steered,
};
export type RunEvent = EventOf<(typeof runEvents)[keyof typeof runEvents]>;
