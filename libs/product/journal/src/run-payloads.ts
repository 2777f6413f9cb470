import type { RunFailure, RunRequest, RunResponse, Usage } from '@app/conversations';
import { byName, boolean, integer, json, list, nullable, oneOf, text, uuid } from '@app/schema';
import { payload, runId, segment, toolCallId, toolName } from './payload';

const usage = byName<Usage>('Usage');
const approvalIds = list(uuid(), { min: 1 });
const messageId = uuid({ description: "Of the message in the conversation's messages" });

/** Payloads of what is told of a run. */
export const runPayloads = {
  'run.started': payload('run.started', 'A run was admitted; it holds the conversation until it waits or ends.', {
    runId,
    origin: oneOf(['user', 'automation']),
    automationId: nullable(uuid()),
    occurrenceId: nullable(uuid(), { description: 'Of the occurrence that started it' }),
    request: byName<RunRequest>('RunRequest'),
  }),
  'run.claimed': payload('run.claimed', 'A worker has taken the run, or taken it over from one that was lost.', {
    runId,
    segment,
    attempt: integer({ min: 1, description: 'How often the run was taken' }),
  }),
  'run.suspended': payload(
    'run.suspended',
    'The run waits for approvals, and does not hold the conversation meanwhile.',
    {
      runId,
      segment,
      approvalIds,
      usage,
    },
  ),
  'run.resumed': payload('run.resumed', 'Nothing is pending any more: the run goes on.', {
    runId,
    segment,
    approvalIds,
  }),
  'run.stopping': payload('run.stopping', 'The run was asked to stop; it can only end as aborted.', { runId }),
  'run.ended': payload('run.ended', 'The run is over.', {
    runId,
    status: oneOf(['completed', 'failed', 'aborted']),
    response: nullable(byName<RunResponse>('RunResponse'), {
      description: "The assistant's last word, of a completed run",
    }),
    output: json({ description: 'What satisfies `outputSchema`; null where none was asked for' }),
    failure: nullable(byName<RunFailure>('RunFailure'), { description: 'Of a failed run' }),
    usage,
  }),
  'agent.step': payload('agent.step', "The model has answered once; first of its step's events.", {
    runId,
    step: integer({ min: 1, description: 'Counted over the whole run' }),
    usage,
  }),
  'agent.message': payload(
    'agent.message',
    'The agent has said something; it replaces the deltas of its `messageId`.',
    {
      runId,
      messageId,
      text: text(),
      truncated: boolean({
        description: 'Whether it ended before its end: by the output limit, an abort, or trouble of the provider',
      }),
    },
  ),
  'tool.called': payload('tool.called', 'The agent calls a tool.', {
    runId,
    toolCallId,
    tool: toolName,
    input: json({ description: "As the tool's own schema has it" }),
  }),
  'tool.returned': payload('tool.returned', 'A call is over.', {
    runId,
    toolCallId,
    outcome: oneOf(['ok', 'error', 'denied', 'expired'], {
      description: '`denied` and `expired` are calls whose approval was',
    }),
    result: json(),
  }),
};

export const livePayloads = {
  'agent.text_delta': payload(
    'agent.text_delta',
    'What a message that is being written grows by. Live only: never replayed, and `agent.message` has the whole.',
    { runId, messageId, text: text({ min: 1 }) },
  ),
};
