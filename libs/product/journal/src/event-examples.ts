import type { JsonObject } from '@app/kernel';
import type { FinEvent, LiveEvent } from './fin-event.schema';

const ids = {
  run: '019a3c61-0b10-7e44-9a5b-2f7c8d1e6a01',
  approval: '019a3c61-0e27-7b5c-8f3d-4c6a9e1b2d05',
  automation: '019a3b02-55c1-7d20-8e6f-9b3a7c5d1e07',
  call: '019a3c61-0b10-7e44-9a5b-2f7c8d1e6a01/1/0',
  message: '019a3c61-7d90-7c11-b2e4-8a6f5d3c9b08',
  /** UUIDv5 of the approval, as an agent's transfer has it. */
  operation: '0a5be28c-7585-541f-a3b0-7f7bdcdc09cf',
};

const usage = { inputTokens: 388, outputTokens: 41, costCents: 1, estimated: false };
const usdc = 'nep141:17208628f84f5d6ad33f0da3bbbeb27ffcb398eac501a31bd6ad2011e36133a1';
const contract = {
  type: 'ledger_intents_transfer',
  actions: [
    {
      kind: 'withdraw_to_owner',
      input: { pinned: { tokenId: usdc, decimals: 6 } },
      quantity: { kind: 'exact_input_tokens', amountRaw: '1500000' },
    },
  ],
};

type Payload = FinEvent['payload'];
type PayloadOf<Type extends Payload['type']> = Extract<Payload, { readonly type: Type }>;

/** What a user's withdrawal by the agent leaves in the journal, and around it an event of every other type. */
const payloads: { readonly [Type in Payload['type']]: Omit<PayloadOf<Type>, 'type' | 'at'> } = {
  'conversation.created': { title: 'Savings', origin: 'conversation', automationId: null },
  'artifact.uploaded': {
    artifactId: '019a3c60-4a0c-7f9e-a1d2-6c5b8e7f3a09',
    name: 'budget.csv',
    mediaType: 'text/csv',
    bytes: 15,
    sha256: 'c86066149fd3cf01ec7449cd3e91a293a620f963a8cf3d4a3b9087b3622ba83e',
  },
  'run.started': {
    runId: ids.run,
    origin: 'user',
    automationId: null,
    occurrenceId: null,
    request: {
      input: { text: 'withdraw 1.5 USDC' },
      profile: { tools: ['wallet_balances', 'intents_transfer'] },
    },
  },
  'run.claimed': { runId: ids.run, segment: 1, attempt: 1 },
  'agent.step': { runId: ids.run, step: 1, usage },
  'tool.called': { runId: ids.run, toolCallId: ids.call, tool: 'intents_transfer', input: { contract } },
  'approval.opened': {
    approvalId: ids.approval,
    kind: 'agent_tool',
    tool: 'intents_transfer',
    fingerprint: 'sha256:5c1d7b0f4e2a98637d1f0c3b5a6e8d9427b1c0f3e5a7d9b2846c1e0f3a5b7d92',
    runId: ids.run,
    expiresAt: '2026-11-22T09:18:06.337Z',
  },
  'run.suspended': { runId: ids.run, segment: 1, approvalIds: [ids.approval], usage },
  'approval.decided': { approvalId: ids.approval, status: 'approved', decidedBy: 'user', denialReason: null },
  'run.resumed': { runId: ids.run, segment: 2, approvalIds: [ids.approval] },
  'operation.submitted': { operationId: ids.operation, runId: ids.run, approvalId: ids.approval },
  'tool.returned': {
    ...{ runId: ids.run, toolCallId: ids.call, outcome: 'ok' },
    result: { operationId: ids.operation, status: 'submitted' },
  },
  'agent.message': {
    runId: ids.run,
    messageId: ids.message,
    text: 'The withdrawal of 1.5 USDC is on its way.',
    truncated: false,
  },
  'run.ended': {
    runId: ids.run,
    status: 'completed',
    response: { text: 'The withdrawal of 1.5 USDC is on its way.', truncated: false },
    output: null,
    failure: null,
    usage: { inputTokens: 902, outputTokens: 63, costCents: 2, estimated: false },
  },
  'settlement.updated': {
    operationId: ids.operation,
    status: 'settled',
    actions: [
      {
        ...{ index: 0, kind: 'withdraw_to_owner', status: 'settled' },
        input: { tokenId: usdc, amountRaw: '1500000' },
        output: { tokenId: usdc, amountRaw: '1500000' },
        leastOutput: null,
        returned: null,
        providerReference: 'sandbox-7',
      },
    ],
    failure: null,
  },
  'conversation.updated': { title: 'Savings and rent' },
  'run.stopping': { runId: '019a3c64-1f02-7b8a-8c9d-5e4f6a7b3c0a' },
  'approval.expired': { approvalId: '019a3c65-2c11-7d4e-9f6a-1b8c7d5e4f0b', endedReason: 'timeout' },
  'automation.triggered': {
    automationId: ids.automation,
    occurrenceId: '3f2b8c1d-7a6e-5d4c-9b0f-1e2d3c4b5a60',
    trigger: 'schedule',
  },
  'conversation.archived': {},
};

const eventExamples: Readonly<Record<string, FinEvent | LiveEvent>> = {
  ...Object.fromEntries(
    Object.entries(payloads).map(([type, members], index) => {
      // Reason for the assertion: `entries` forgets which members belong to which type; the table above is held to it.
      const payload = { type, at: atSecond(index), ...members } as Payload;
      return [type, { delivery: 'durable', seq: index + 1, requestId: 'web-7c1f0e2d', payload }] as const;
    }),
  ),
  'agent.text_delta': {
    delivery: 'live',
    payload: {
      ...{
        type: 'agent.text_delta',
        at: atSecond(13),
        runId: ids.run,
        messageId: ids.message,
        text: 'The withdrawal of ',
      },
    },
  },
};

function atSecond(second: number): string {
  return `2026-11-21T09:18:${String(second).padStart(2, '0')}.337Z`;
}

/** A true event of this type, as it is delivered. @throws Error for a type without one */
export function exampleOf(type: string): JsonObject {
  const example = eventExamples[type];
  if (example === undefined) throw new Error(`there is no example of ${type}`);
  // Reason for the assertion: events are made of JSON.
  return example as unknown as JsonObject;
}
