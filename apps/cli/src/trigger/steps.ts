import { randomUUID } from 'node:crypto';
import { CommandFailed } from '../terminal/outcome';
import type { TriggerUser } from './trigger-user';

/** Needs no provider, and every deployment offers it (docs/configuration.md, MODEL_PROVIDER). */
const profile = { model: 'parley/rules' };
const usdc = 'nep141:17208628f84f5d6ad33f0da3bbbeb27ffcb398eac501a31bd6ad2011e36133a1';

/** A text that the model answers at once. */
export const sentence = 'repeat after me: done';

interface Run {
  readonly runId: string;
  readonly conversationId: string;
  readonly status: string;
  readonly pendingApprovalIds: readonly string[];
  readonly failure: { readonly text: string } | null;
}

/** A message of the agent in a journal, where it has this type. */
interface Said {
  readonly type: string;
  readonly messageId: string;
}

/** An approval that a run waits for. */
interface Asked {
  readonly runId: string;
  readonly approvalId: string;
}

/** Sends a text to the agent in a new conversation, and waits until the run is over. */
export async function say(user: TriggerUser, text: string): Promise<Run> {
  return reached(user, await started(user, text), 'completed');
}

/** Rates what the agent has said in a run that is over. */
export async function rate(user: TriggerUser, { conversationId, runId }: Run): Promise<void> {
  const at = `/conversations/${conversationId}`;
  const { data } = await user.call<{ data: { payload: Said }[] }>('GET', `${at}/events`);
  const said = data.find(({ payload: { type } }) => type === 'agent.message');
  if (said === undefined) throw new CommandFailed(`run ${runId} has said nothing`);
  await user.call('POST', `${at}/messages/${said.payload.messageId}/feedback`, { rating: 'up' });
}

/** Makes the agent ask for a withdrawal. The starting balance of a sandbox's wallet covers it. */
export async function askedForConsent(user: TriggerUser): Promise<Asked> {
  await user.call('POST', '/wallet');
  const runId = await started(user, 'withdraw 1.5 USDC');
  const { pendingApprovalIds } = await reached(user, runId, 'awaiting_approval');
  const [approvalId] = pendingApprovalIds;
  if (approvalId === undefined) throw new CommandFailed(`run ${runId} waits for no approval`);
  return { runId, approvalId };
}

export async function approve(user: TriggerUser, { runId, approvalId }: Asked): Promise<void> {
  const { fingerprint } = await user.call<{ fingerprint: string }>('GET', `/approvals/${approvalId}`);
  await user.call('POST', `/approvals/${approvalId}/approve`, { fingerprint });
  await reached(user, runId, 'completed');
}

export async function deny(user: TriggerUser, { runId, approvalId }: Asked): Promise<void> {
  await user.call('POST', `/approvals/${approvalId}/deny`, { reason: 'parley trigger' });
  await reached(user, runId, 'completed');
}

export async function abort(user: TriggerUser, { runId }: Asked): Promise<void> {
  await user.call('POST', `/agent-runs/${runId}/abort`);
}

/** A withdrawal that the user makes without the agent. */
export async function withdraw(user: TriggerUser): Promise<void> {
  await user.call('POST', '/wallet');
  const order = { tokenId: usdc, amountRaw: '1500000' };
  const prepared = await user.call<{ operationId: string; fingerprint: string }>('POST', '/wallet/withdrawals', order);
  const { operationId, fingerprint } = prepared;
  await user.call('POST', `/wallet/withdrawals/${operationId}/confirm`, { fingerprint });
}

interface Automation {
  readonly id: string;
  readonly revision: string;
}

/** Creates an automation that fires only when it is invoked, and is archived when the command is done with its user. */
export async function automation(user: TriggerUser, firing: object = {}): Promise<Automation> {
  const made = await user.call<Automation>('POST', '/automations', {
    name: 'Made by parley trigger',
    prompt: sentence,
    profile,
    conversation: 'new',
    wake: { kind: 'event', types: ['parley.trigger'] },
    condition: null,
    firing: { trigger: 'match', cooldownSeconds: 0, overlap: 'queue', ...firing },
  });
  user.afterwards(`automation ${made.id}`, () => user.call('DELETE', `/automations/${made.id}`));
  return made;
}

export async function invoke(user: TriggerUser, { id, revision }: Automation): Promise<void> {
  await user.call('POST', `/automations/${id}/invoke`, { revision, idempotencyKey: randomUUID() });
}

/** Affects no other user's session. Reading the wallet is what notices the rejection. */
export async function rejectSession(user: TriggerUser): Promise<void> {
  await user.call('POST', '/wallet');
  await user.calls.ofSandbox('PUT', '/faults', { provider: { rejectSessionOf: user.userId } });
  await user.attempt('GET', '/wallet/withdrawals/sources');
}

interface Entry {
  readonly kind: 'reserved' | 'spent' | 'released';
  readonly amountCents: number;
}

/** The first run shows what a run costs, and what it needs before it starts; the second leaves less than that. */
export async function exhaustBudget(user: TriggerUser): Promise<void> {
  await say(user, sentence);
  // The budget is settled after the run has ended.
  const data = await user.calls.until('the run is paid for', async () => {
    const entries = await user.call<{ data: readonly Entry[] }>('GET', '/budget/entries');
    return entries.data.some(({ kind }) => kind !== 'reserved') ? entries.data : null;
  });
  const amountsOf = (kind: Entry['kind']) =>
    data.filter((entry) => entry.kind === kind).map((each) => each.amountCents);
  const neededCents = amountsOf('reserved').at(-1) ?? 0;
  const spentCents = amountsOf('spent').reduce((sum, cents) => sum + cents, 0);
  if (spentCents === 0) throw new CommandFailed('runs cost nothing here: RULES_STEP_MICRO_CENTS must be above 0');
  const caps = { dayCents: spentCents + neededCents, monthCents: 1_000_000 };
  await user.operate('PUT', '/caps', caps);
  await say(user, sentence);
}

async function started(user: TriggerUser, text: string): Promise<string> {
  const { id: conversationId } = await user.call<{ id: string }>('POST', '/conversations', {});
  const run = { conversationId, input: { text }, profile };
  return (await user.call<Run>('POST', '/agent-runs', run)).runId;
}

/** Returns the run as soon as it has this status. @throws CommandFailed when it ends with another */
async function reached(user: TriggerUser, runId: string, status: string): Promise<Run> {
  return user.calls.until(`run ${runId} is ${status}`, async () => {
    const run = await user.call<Run>('GET', `/agent-runs/${runId}`);
    if (run.status === status) return run;
    if (!['completed', 'failed', 'aborted'].includes(run.status)) return null;
    throw new CommandFailed(`run ${runId} is ${run.status}, not ${status}: ${run.failure?.text ?? 'nothing is said'}`);
  });
}
