import type { DurableFrame, JournalFrame, LiveFrame } from '@parley/client';

type Payload = DurableFrame['payload'];
type Loose<Type extends Payload['type']> = Partial<Extract<Payload, { type: Type }>>;

const at = '2026-11-26T09:00:00.000Z';
const usage = { inputTokens: 1, outputTokens: 1, costCents: 1, estimated: false };
export const runId = '11111111-1111-4111-8111-111111111111';
export const callId = `${runId}/1/0`;
export const approvalId = '22222222-2222-4222-8222-222222222222';
export const operationId = '33333333-3333-4333-8333-333333333333';
export const fingerprint = `sha256:${'a'.repeat(64)}`;

const defaults: { readonly [Type in Payload['type']]?: object } = {
  'run.started': {
    runId,
    origin: 'user',
    automationId: null,
    occurrenceId: null,
    request: { input: { text: 'withdraw 1.5 USDC' } },
  },
  'run.claimed': { runId, segment: 1, attempt: 2 },
  'run.suspended': { runId, segment: 1, approvalIds: [approvalId], usage },
  'run.resumed': { runId, segment: 2, approvalIds: [approvalId] },
  'run.stopping': { runId },
  'run.ended': { runId, status: 'completed', response: null, output: null, failure: null, usage },
  'agent.step': { runId, step: 1, usage },
  'agent.reasoning': { runId, messageId: 't', text: 'hm', truncated: false },
  'agent.message': { runId, messageId: 'm', text: 'hello', truncated: false },
  'tool.called': { runId, toolCallId: callId, tool: 'intents_transfer', input: { contract: 'c' } },
  'tool.returned': { runId, toolCallId: callId, outcome: 'ok', result: { operationId } },
  'approval.opened': { runId, approvalId, kind: 'agent_tool', tool: 'intents_transfer', fingerprint, expiresAt: at },
  'approval.decided': { approvalId, status: 'approved', decidedBy: 'user', denialReason: null },
  'approval.expired': { approvalId, endedReason: 'timeout' },
  'operation.submitted': { operationId, runId, approvalId },
  'settlement.updated': { operationId, status: 'settled', actions: [], failure: null },
};

/** An event, complete except for its place in the journal. */
export function event<Type extends Payload['type']>(type: Type, members: Loose<Type> = {}): Payload {
  // Reason for the assertion: the defaults have every member that the events of these tests have.
  return { type, at, ...defaults[type], ...members } as Payload;
}

/** A live frame of streaming text. */
export function words(text: string, messageId = 'm'): LiveFrame {
  return { delivery: 'live', payload: { type: 'agent.text_delta', at, runId, messageId, text } };
}

/** A live frame of streaming thoughts. */
export function thoughts(text: string, messageId: string): LiveFrame {
  return { delivery: 'live', payload: { type: 'agent.reasoning_delta', at, runId, messageId, text } };
}

/** A live frame of a call's progress. */
export function progress(count: number, message: string | null = null, toolCallId = callId): LiveFrame {
  const counts = { progress: count, total: 3, message };
  return { delivery: 'live', payload: { type: 'agent.tool_progress', at, runId, toolCallId, ...counts } };
}

/** A journal of these events in sequence; live frames keep their place between them. */
export function journal(...events: readonly (Payload | LiveFrame)[]): JournalFrame[] {
  let seq = 0;
  return events.map((one) => {
    if ('delivery' in one) return one;
    seq += 1;
    // Reason for the assertion: an envelope around a payload.
    return { delivery: 'durable', seq, requestId: runId, payload: one };
  });
}
