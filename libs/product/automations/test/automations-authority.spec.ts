/** The calls that an automation's contract covers, and all that it does not (docs/decisions/automations.md). */
import { randomUUID } from 'node:crypto';
import { verifyReceipt } from '@app/receipts';
import { ContractAuthority } from '@app/automations';
import type { Contract } from '@app/consent';
import {
  asId,
  Clock,
  instantOf,
  type ApprovalId,
  type AutomationId,
  type RunId,
  type ToolCallId,
  type UserId,
} from '@app/kernel';
import { auditMoney } from '@app/testing/audits';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import {
  approvalOf,
  type Automation,
  approve,
  asking,
  byOperator,
  contractApprovalOf,
  contractOf,
  conversationOf,
  coveredBy,
  eventsOf,
  holdings,
  invoke,
  moveClock,
  newAutomation,
  newOwner,
  operationsOf,
  outcomeOf,
  partOf,
  pinPrice,
  prompt,
  providerFault,
  quiet,
  redefine,
  swapTen,
  trustedAutomation,
  untilEnded,
  usdc,
  wrappedNear,
} from '@app/testing/journeys';
import { until } from '@app/testing/until';
import { abort, askedFor, countsOf, heldRunOf, untilUses, usesOf } from './contract-journeys';

let deployment: Deployment;
let user: TestClient;
beforeAll(async () => {
  const env = { LOG_LEVEL: 'silent', BUDGET_DAY_CENTS: '100000' };
  deployment = await startDeployment({ mode: 'in-process', env });
  await deployment.sandbox('PUT', 'faults', { provider: prompt, model: { delayMs: 0 } });
  await pinPrice(deployment, '2.5');
});
beforeEach(async () => (user = await newOwner(deployment)));
afterAll(() => deployment.stop());

const byContract = { status: 'approved', decidedBy: 'automation_contract' };

describe('a call is covered', () => {
  it('once the contract is approved: counted, decided by it, and done', async () => {
    const automation = await trustedAutomation(user);
    const { runId, conversationId } = await invoke(user, automation.id);
    const approval = await coveredBy(user, runId);
    expect(approval).toMatchObject({ automationId: automation.id, conversationId, contract: { actions: [swapTen] } });
    const operation = await outcomeOf(user, approval.id);
    expect(operation).toMatchObject({ status: 'settled', automationId: automation.id, conversationId, runId });
    expect(await usesOf(deployment, automation)).toMatchObject([{ payload: { usd: '10', approvalId: approval.id } }]);
    expect((await holdings(user))[usdc]).toBe('240000000');
    const { status, body } = await user.get(`/approvals/${approval.id}/receipt`);
    expect([status, body]).toMatchObject([200, { decision: { decidedBy: 'automation_contract' } }]);
    expect(verifyReceipt(body).problems).toEqual([]);
  });

  it('and as often as its bounds allow', async () => {
    const automation = await trustedAutomation(user, { contract: contractOf({ maxUses: 2 }) });
    for (let use = 1; use <= 2; use += 1) await coveredBy(user, (await invoke(user, automation.id)).runId);
    const { runId } = await invoke(user, automation.id);
    const approval = await askedFor(user, automation, runId);
    expect((await approve(user, approval)).status).toBe(200);
    expect(await untilEnded(user, runId)).toMatchObject({ status: 'completed', segment: 2 });
    expect(await outcomeOf(user, approval.id)).toMatchObject({ status: 'settled', automationId: automation.id });
    expect(await usesOf(deployment, automation)).toHaveLength(2);
  });

  it('also when the automation was given another name', async () => {
    const automation = await trustedAutomation(user);
    const renamed = await redefine(user, automation, { name: 'Buy a little NEAR' });
    expect(renamed).toMatchObject({ definitionVersion: 2, contractApprovalId: automation.contractApprovalId });
    await coveredBy(user, (await invoke(user, automation.id)).runId);
  });

  it('also beside one that is not, which is asked for when the first has been made', async () => {
    const automation = await trustedAutomation(user, { prompt: 'swap 10 USDC to NEAR and withdraw 1 USDC' });
    const { runId, conversationId } = await invoke(user, automation.id);
    const approval = await askedFor(user, automation, runId);
    expect(approval).toMatchObject({ contract: { actions: [{ kind: 'withdraw_to_owner' }] } });
    expect(await eventsOf(user, conversationId, 'approval.decided')).toMatchObject([byContract]);
    expect(await eventsOf(user, conversationId, 'tool.returned')).toMatchObject([{ outcome: 'ok' }, { outcome: 'ok' }]);
    expect((await approve(user, approval)).status).toBe(200);
    expect(await untilEnded(user, runId)).toMatchObject({ status: 'completed', segment: 2 });
    expect(await outcomeOf(user, approval.id)).toMatchObject({ status: 'settled', automationId: automation.id });
    expect(await eventsOf(user, conversationId, 'run.resumed')).toMatchObject([{ approvalIds: [approval.id] }]);
    expect(await usesOf(deployment, automation)).toHaveLength(1);
  });

  it('and the use is given back when nothing of it ever left', async () => {
    const swapAll = { ...swapTen, quantity: { kind: 'exact_input_tokens', amountRaw: '300000000' } };
    const contract = contractOf({ maxUses: 1, perUseUsd: '300', totalUsd: '300' }, [swapAll]);
    const automation = await trustedAutomation(user, { prompt: 'swap 300 USDC to NEAR', contract });
    for (let use = 1; use <= 2; use += 1) {
      const { runId } = await invoke(user, automation.id);
      const { id } = await coveredBy(user, runId);
      const failure = { reason: 'insufficient_balance' };
      expect(await outcomeOf(user, id)).toMatchObject({ status: 'failed', failure });
      await untilUses(deployment, automation, 2 * use);
    }
    const types = (await usesOf(deployment, automation)).map(({ type }) => type);
    expect(types).toEqual(['contract.used', 'contract.use_returned', 'contract.used', 'contract.use_returned']);
  });
});

it('a use is recorded once for a call, for its own user alone, and given back when no operation comes of it', async () => {
  const automation = await trustedAutomation(user, { contract: contractOf({ maxUses: 1 }) });
  const { runId, free } = await heldRunOf(deployment, user, automation);
  const [authority, clock] = [partOf(deployment, ContractAuthority), partOf(deployment, Clock)];
  const call = {
    automationId: asId<AutomationId>(automation.id),
    toolCallId: asId<ToolCallId>(`${randomUUID()}/1/0`),
    approvalId: asId<ApprovalId>(randomUUID()),
    runId: asId<RunId>(runId),
    expiresAt: instantOf(clock.epochMs() + 60_000),
    contract: { type: 'ledger_intents_transfer', actions: [swapTen] } as unknown as Contract, // reason: as above
  };
  const { userId, cause } = byOperator(user);
  const stranger = asId<UserId>((await newOwner(deployment)).userId);
  expect(await authority.cover({ ...call, userId: stranger }, cause)).toBe(false);
  for (let again = 0; again < 2; again += 1) expect(await authority.cover({ ...call, userId }, cause)).toBe(true);
  const another = { ...call, userId, toolCallId: asId<ToolCallId>(`${randomUUID()}/1/0`) };
  expect(await authority.cover(another, cause)).toBe(false);
  await free();
  await askedFor(user, automation, runId);
  await abort(user, runId);
  await moveClock(deployment, 1_200);
  await untilUses(deployment, automation, 2);
  await coveredBy(user, (await invoke(user, automation.id)).runId);
});

describe('a call is asked for like any other', () => {
  it.each([
    ['beyond what one use may come to', trustedAutomation, { contract: contractOf({ perUseUsd: '9.99' }) }],
    ['beyond what all may come to', trustedAutomation, { contract: contractOf({ totalUsd: '9.99' }) }],
    ['of another amount', trustedAutomation, { prompt: 'swap 9 USDC to NEAR' }],
    ['of more actions', trustedAutomation, { contract: contractOf({ perUseUsd: '50' }, [swapTen, swapTen]) }],
    ['without a contract', newAutomation, { contract: undefined }],
  ])('%s', async (_, define, change) => {
    const automation = await define(user, change);
    const { runId } = await invoke(user, automation.id);
    await askedFor(user, automation, runId);
    expect(await usesOf(deployment, automation)).toEqual([]);
  });

  it('beyond what one occurrence may use, however often its words ask', async () => {
    const contract = contractOf({ maxUses: 10 });
    const automation = await trustedAutomation(user, {
      prompt: 'swap 10 USDC to NEAR and swap 10 USDC to NEAR',
      contract,
    });
    const { runId, conversationId } = await invoke(user, automation.id);
    const approval = await askedFor(user, automation, runId);
    expect(approval).toMatchObject({ contract: { actions: [swapTen] } });
    expect(await eventsOf(user, conversationId, 'approval.decided')).toMatchObject([byContract]);
    expect(await usesOf(deployment, automation)).toHaveLength(1);
    const [asked] = [await contractApprovalOf(user, automation)];
    expect(asked).toMatchObject({ contract: { bounds: { usesPerOccurrence: 1 } } });
  });

  it('before the contract is approved, and after it was denied', async () => {
    const automation = await newAutomation(user);
    const before = await invoke(user, automation.id);
    await askedFor(user, automation, before.runId);
    await abort(user, before.runId);
    const { id } = await contractApprovalOf(user, automation);
    expect((await user.post(`/approvals/${id}/deny`, { reason: 'no' })).status).toBe(200);
    expect(await approvalOf(user, id)).toMatchObject({ status: 'denied', denialReason: 'no', decidedBy: 'user' });
    await askedFor(user, automation, (await invoke(user, automation.id)).runId);
    expect(await usesOf(deployment, automation)).toEqual([]);
  });

  it('once its contract is another one', async () => {
    const automation = await trustedAutomation(user);
    const changed = await redefine(user, automation, { contract: contractOf({ maxUses: 3 }) });
    expect(changed.contractApprovalId).not.toBe(automation.contractApprovalId);
    // The approval keeps its decision in the records, but no longer covers anything.
    const over = { status: 'approved', decidedBy: 'user', endedReason: 'superseded' };
    expect(await contractApprovalOf(user, automation)).toMatchObject(over);
    const asked = await invoke(user, automation.id);
    await askedFor(user, automation, asked.runId);
    expect((await approve(user, await contractApprovalOf(user, changed))).status).toBe(200);
    await abort(user, asked.runId);
    await coveredBy(user, (await invoke(user, automation.id)).runId);
  });

  it('once anything of its rule but the name is another one, also in a run of the rule before', async () => {
    const automation = await trustedAutomation(user);
    const { runId, free } = await heldRunOf(deployment, user, automation);
    const wake = { kind: 'event', types: ['never.sent', 'order.paid'] };
    const changed = await redefine(user, automation, { wake });
    expect((await approve(user, await contractApprovalOf(user, changed))).status).toBe(200);
    await free();
    await askedFor(user, automation, runId);
    expect(await usesOf(deployment, automation)).toEqual([]);
    await abort(user, runId);
    await coveredBy(user, (await invoke(user, automation.id)).runId);
  });

  it('once the automation was paused, even in a run that is under way', async () => {
    const automation = await trustedAutomation(user);
    const { runId, free } = await heldRunOf(deployment, user, automation);
    const { revision } = automation;
    expect((await user.post(`/automations/${automation.id}/pause`, { revision })).status).toBe(200);
    await free();
    await askedFor(user, automation, runId);
    expect(await usesOf(deployment, automation)).toEqual([]);
  });

  it('without a price', async () => {
    const automation = await trustedAutomation(user);
    await providerFault(deployment, { ...prompt, unpriced: true });
    const { runId } = await invoke(user, automation.id);
    await askedFor(user, automation, runId);
    await providerFault(deployment, prompt);
    expect(await usesOf(deployment, automation)).toEqual([]);
  });

  it('at a price that is too high by now', async () => {
    const quantity = { kind: 'exact_input_tokens', amountRaw: `1${'0'.repeat(24)}` };
    const sell = { ...swapTen, input: swapTen.output, output: swapTen.input, quantity };
    const contract = contractOf({ perUseUsd: '3' }, [sell]);
    const automation = await trustedAutomation(user, { prompt: 'swap 1 NEAR to USDC', contract });
    await coveredBy(user, (await invoke(user, automation.id)).runId);
    await pinPrice(deployment, '3.000000000000000001');
    await askedFor(user, automation, (await invoke(user, automation.id)).runId);
    await pinPrice(deployment, '2.5');
    expect(await usesOf(deployment, automation)).toMatchObject([{ payload: { usd: '2.5' } }]);
  });

  it('in a run of the user, whatever the conversation and the words', async () => {
    const automation = await trustedAutomation(user);
    const { runId, conversationId } = await invoke(user, automation.id);
    await coveredBy(user, runId);
    for (const where of [conversationId, await conversationOf(user)]) {
      const { approval } = await asking(user, where, 'swap 10 USDC to NEAR');
      expect(approval).toMatchObject({ automationId: null, status: 'pending' });
    }
    expect(await usesOf(deployment, automation)).toHaveLength(1);
  });
});

describe('each action of a covered call is held against what the bounds leave when its amount is chosen', () => {
  const thereAndBack = [
    { ...swapTen, quantity: { kind: 'exact_input_tokens', amountRaw: '1000000' } },
    { kind: 'swap', input: swapTen.output, output: swapTen.input, quantity: { kind: 'all_of_input' } },
  ];
  const contract = (worth: string) => contractOf({ maxUses: 5, perUseUsd: worth, totalUsd: worth }, thereAndBack);
  const task = `call intents_transfer ${JSON.stringify({ contract: { type: 'ledger_intents_transfer', actions: thereAndBack } })}`;
  const settlesLate = { ...prompt, settleAfterSeconds: 60 };

  /** The provider has the first action, and settles it when the clock has moved. */
  async function begun(worth: string) {
    await providerFault(deployment, settlesLate);
    const automation = await trustedAutomation(user, { prompt: task, contract: contract(worth) });
    const approval = await coveredBy(user, (await invoke(user, automation.id)).runId);
    await providerFault(deployment, prompt);
    return { automation, approval };
  }
  const operationOf = async (id: string) => (await operationsOf(user)).find(({ approvalId }) => approvalId === id);
  const settledAs = (automation: Automation, usd: unknown) =>
    until('what was moved is counted', async () => {
      const last = (await countsOf(deployment, automation)).at(-1);
      return last?.type === 'contract.use_settled' && last.payload['usd'] === usd ? true : null;
    });

  it('so that what is deposited meanwhile stays', async () => {
    const { automation, approval } = await begun('112');
    const { userId } = user;
    const amountRaw = `2000${'0'.repeat(24)}`;
    await deployment.sandbox('POST', 'deposits', { userId, tokenId: wrappedNear, amountRaw });
    await moveClock(deployment, 120);
    const failure = { reason: 'bounds_exceeded' };
    const actions = [{ status: 'settled' }, { status: 'failed', input: null }];
    expect(await outcomeOf(user, approval.id)).toMatchObject({ status: 'failed', failure, actions });
    expect((await holdings(user))[wrappedNear]?.slice(0, 4)).toBe('2040');
    await settledAs(automation, '1');
    expect((await countsOf(deployment, automation)).map(({ type }) => type)).not.toContain('contract.use_raised');
  });

  it('and may come to more than was expected within them, which is counted before it moves', async () => {
    const { automation, approval } = await begun('150');
    await pinPrice(deployment, '3');
    await moveClock(deployment, 120);
    expect(await outcomeOf(user, approval.id)).toMatchObject({ status: 'settled' });
    await pinPrice(deployment, '2.5');
    const raised = (await countsOf(deployment, automation)).find(({ type }) => type === 'contract.use_raised');
    expect(raised).toMatchObject({ payload: { usd: expect.stringMatching(/^122\./) as string } });
    await settledAs(automation, raised?.payload['usd']);
  });

  it('waits while the automation is paused, and ends when its rule is another one', async () => {
    const { automation, approval } = await begun('112');
    const { revision } = automation;
    expect((await user.post(`/automations/${automation.id}/pause`, { revision })).status).toBe(200);
    await moveClock(deployment, 120);
    await until('the first action settles', async () => {
      const operation = await operationOf(approval.id);
      return operation?.actions[0]?.status === 'settled' || null;
    });
    expect(await operationOf(approval.id)).toMatchObject({ status: 'submitted', actions: [{}, { input: null }] });
    await redefine(user, automation, { prompt: `${task} ` });
    await moveClock(deployment, 60);
    const failure = { reason: 'bounds_exceeded' };
    expect(await outcomeOf(user, approval.id)).toMatchObject({ status: 'failed', failure });
  });
});

it('keeps books that balance', async () => {
  await quiet(deployment);
  expect(await auditMoney(deployment)).toEqual([]);
});
