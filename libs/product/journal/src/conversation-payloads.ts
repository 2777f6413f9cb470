import { limits, occurrenceTriggers } from '@app/kernel';
import { byName, integer, list, nullable, oneOf, text, uuid, instant } from '@app/schema';
import type { OperationView } from '@app/wallets';
import { payload, runId, toolName } from './payload';

const title = text({ min: 1, max: limits.titleLengthMax });
const approvalId = uuid();
const operationId = uuid({ description: 'Of `financialOperations.get`' });

/** Payloads of what is told of the conversation itself, of approvals in it, and of money that was asked for in it. */
export const conversationPayloads = {
  'conversation.created': payload('conversation.created', 'The conversation begins.', {
    title: nullable(title),
    origin: oneOf(['conversation', 'automation']),
    automationId: nullable(uuid(), { description: 'Of the automation that began it' }),
  }),
  'conversation.updated': payload('conversation.updated', 'The conversation has another title.', { title }),
  'conversation.archived': payload('conversation.archived', 'The conversation takes no writes any more.', {}),
  'automation.triggered': payload(
    'automation.triggered',
    'An occurrence of an automation was admitted here; its run starts with the next event.',
    { automationId: uuid(), occurrenceId: uuid(), trigger: oneOf(occurrenceTriggers) },
  ),
  'artifact.uploaded': payload('artifact.uploaded', 'The conversation has one more file.', {
    artifactId: uuid(),
    name: text({ min: 1, max: 128 }),
    mediaType: text({ max: 255, description: 'As it was declared' }),
    bytes: integer({ min: 1 }),
    sha256: text({ pattern: /^[0-9a-f]{64}$/, description: 'Of the bytes, in hex' }),
  }),
  'approval.opened': payload(
    'approval.opened',
    'A decision is asked for: fetch the approval and show it to the user.',
    {
      approvalId,
      kind: oneOf(['agent_tool', 'withdrawal', 'automation_contract']),
      tool: toolName,
      fingerprint: text({
        pattern: /^sha256:[0-9a-f]{64}$/,
        description: 'Binds a decision to exactly what was reviewed',
      }),
      runId: nullable(runId),
      expiresAt: instant({ description: 'A decision comes before it' }),
    },
  ),
  'approval.decided': payload('approval.decided', 'The approval was approved or denied.', {
    approvalId,
    status: oneOf(['approved', 'denied']),
    decidedBy: oneOf(['user', 'automation_contract'], {
      description: 'The user, or an approved contract of an automation that covers the call',
    }),
    denialReason: nullable(text({ max: 1024 })),
  }),
  'approval.expired': payload('approval.expired', 'The approval ended without a decision.', {
    approvalId,
    endedReason: oneOf(['timeout', 'run_ended', 'superseded']),
  }),
  'operation.submitted': payload('operation.submitted', 'A transfer of the agent was handed to its provider.', {
    operationId,
    runId: nullable(runId),
    approvalId,
  }),
  'settlement.updated': payload(
    'settlement.updated',
    'The transfer is over. This, and `financialOperations.get`, is the only evidence of settlement.',
    {
      operationId,
      status: oneOf(['settled', 'failed']),
      actions: list(byName<OperationView['actions'][number]>('OperationAction'), { min: 1 }),
      failure: nullable(byName<NonNullable<OperationView['failure']>>('OperationFailure')),
    },
  ),
};
