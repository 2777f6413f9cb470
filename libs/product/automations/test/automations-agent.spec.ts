/** A sentence becomes a rule whose contract is approved once, and that then acts by itself within the contract. */
import { auditMoney } from '@app/testing/audits';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import {
  approve,
  asking,
  type Automation,
  automationOf,
  aUuid,
  contractApprovalOf,
  contractOf,
  conversationOf,
  holdings,
  journal,
  type Listed,
  moveClock,
  newOwner,
  occurrencesOf,
  operationsOf,
  outcomeOf,
  pinPrice,
  prompt,
  quiet,
  recorded,
  swapTen,
  untilEnded,
  untilFired,
  usdc,
  wrappedNear,
} from '@app/testing/journeys';

const sentence = 'when NEAR drops below $2 swap 10 USDC to NEAR';

let deployment: Deployment;
let user: TestClient;
let automation: Automation;
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process', env: { LOG_LEVEL: 'silent', BUDGET_DAY_CENTS: '100000' } });
  await deployment.sandbox('PUT', 'faults', { provider: prompt, model: { delayMs: 0 } });
  await pinPrice(deployment, '2.5');
  user = await newOwner(deployment);
});
afterAll(() => deployment.stop());

it('asks for the rule, in plain words', async () => {
  const { runId, approval } = await asking(user, await conversationOf(user), sentence);
  expect(approval).toMatchObject({
    kind: 'agent_tool',
    tool: 'automation_create',
    contract: null,
    automationId: null,
    status: 'pending',
    summary: expect.stringMatching(
      /^Create the automation “.*”\. .* this without asking again: Swap 10 USDC to wNEAR, for at most \$.* 10 times at most, .* Every minute, if .*wNEAR is below \$2,.*not again.* Its task: “swap 10 USDC to NEAR”\.$/,
    ) as string,
    input: { definition: { name: sentence, prompt: 'swap 10 USDC to NEAR', contract: { actions: [swapTen] } } },
  });
  expect((await user.get<Listed>('/automations')).body).toMatchObject({ data: [], total: 0 });
  expect((await approve(user, approval)).status).toBe(200);
  expect(await untilEnded(user, runId)).toMatchObject({
    status: 'completed',
    segment: 2,
    response: { text: expect.stringContaining('asked apart') as string },
  });
  const { body } = await user.get<Listed<Automation>>('/automations');
  expect(body).toMatchObject({ total: 1, data: [{ state: 'enabled', name: sentence, contractApprovalId: aUuid }] });
  automation = body.data[0] as Automation; // reason for the assertion: just checked
});

it('asks for its contract apart, once', async () => {
  const approval = await contractApprovalOf(user, automation);
  expect(approval).toMatchObject({
    kind: 'automation_contract',
    tool: 'automation_contract',
    status: 'pending',
    automationId: automation.id,
    conversationId: null,
    runId: null,
    toolCallId: null,
    operationId: null,
    input: automation['definition'],
    contract: contractOf({ notAfter: expect.any(String) as string }),
    summary: expect.stringMatching(
      /^Swap 10 USDC to wNEAR, for at most \$[\d.]+ each time and \$[\d.]+ in all, 10 times at most, once each time it acts, until .* It acts every minute, if the price of wNEAR is below \$2, by values at most \d+ seconds old\. Its task: “swap 10 USDC to NEAR”\.$/,
    ) as string,
    terms: ['what', 'at most', 'how often', 'until when', 'when it acts', 'to whom'].map((name) => {
      return { name, text: expect.any(String) as string };
    }),
  });
  expect((await user.post(`/approvals/${approval.id}/approve`, { fingerprint: 'sha256:0' })).status).toBe(400);
  expect(await approve(user, approval)).toMatchObject({ status: 200, body: { decided: true } });
  expect(await contractApprovalOf(user, automation)).toMatchObject({ status: 'approved', decidedBy: 'user' });
  expect(await approve(user, approval)).toMatchObject({ status: 409, body: { reason: 'approval_not_pending' } });
});

it('does nothing as long as the price is high', async () => {
  await moveClock(deployment, 300);
  await quiet(deployment);
  expect(await occurrencesOf(user, automation.id)).toEqual([]);
  expect((await user.get(`/automations/${automation.id}/status`)).body).toMatchObject({
    monitoring: 'healthy',
    issue: null,
    latestOccurrence: null,
    lastCheck: { condition: 'not_matched', facts: [{ value: '2.5' }] },
  });
});

it('fires once when the price drops, and swaps without another question', async () => {
  await pinPrice(deployment, '1.9');
  await moveClock(deployment, 120);
  const { run, runId, conversationId } = await untilFired(user, automation.id, 1);
  expect(run).toMatchObject({
    status: 'completed',
    segment: 1,
    origin: 'automation',
    automationId: automation.id,
    request: { input: { text: 'swap 10 USDC to NEAR' } },
    conversationId,
  });
  const { data } = (await user.get<Listed<{ id: string }>>('/approvals?status=approved')).body;
  const approval = data.find((one) => 'runId' in one && one.runId === runId);
  expect(approval).toMatchObject({ ...byContract, automationId: automation.id, contract: { actions: [swapTen] } });
  const operation = await outcomeOf(user, String(approval?.id));
  expect(operation).toMatchObject({ status: 'settled', automationId: automation.id, conversationId, runId });
  expect((await holdings(user))[usdc]).toBe('240000000');
});

const byContract = {
  kind: 'agent_tool',
  tool: 'intents_transfer',
  status: 'approved',
  decidedBy: 'automation_contract',
};

it('tells in the journal of its conversation everything from trigger to settlement', async () => {
  const [occurrence] = await occurrencesOf(user, automation.id);
  const events = await journal(user, String(occurrence?.conversationId));
  const told = events.map(({ payload }) => payload).filter(({ type }) => milestones.includes(String(type)));
  expect(told).toMatchObject([
    { type: 'conversation.created', origin: 'automation', automationId: automation.id, title: sentence },
    { type: 'automation.triggered', automationId: automation.id, occurrenceId: occurrence?.id, trigger: 'schedule' },
    { type: 'run.started', origin: 'automation', occurrenceId: occurrence?.id, runId: occurrence?.runId },
    { type: 'tool.called', tool: 'wallet_balances' },
    { type: 'tool.called', tool: 'intents_transfer' },
    { type: 'approval.opened', kind: 'agent_tool' },
    { type: 'approval.decided', status: 'approved', decidedBy: 'automation_contract' },
    { type: 'operation.submitted' },
    { type: 'settlement.updated', status: 'settled' },
  ]);
  // The journal is public, so the bounds must not appear in it.
  expect(JSON.stringify(events)).not.toContain('perUseUsd');
});

const milestones = [
  'conversation.created',
  'automation.triggered',
  'run.started',
  'tool.called',
  'approval.opened',
  'approval.decided',
  'operation.submitted',
  'settlement.updated',
];

it('does not fire again while the price stays low', async () => {
  await moveClock(deployment, 900);
  await quiet(deployment);
  expect(await occurrencesOf(user, automation.id)).toHaveLength(1);
});

it('says all of it in plain language', async () => {
  const { body } = await user.get(`/automations/${automation.id}/status`);
  expect(body).toMatchObject({
    automationId: automation.id,
    name: sentence,
    state: 'enabled',
    monitoring: 'healthy',
    issue: null,
    behavior: { text: expect.stringMatching(/^Every minute, if .* below \$2,.*not again/) as string },
    lastCheck: { condition: 'matched', facts: [{ value: expect.stringMatching(/^\$?1.9$/) as string }] },
    latestOccurrence: { delivery: 'accepted', reason: null },
  });
});

it('arms itself when the price rises, and fires again when it falls', async () => {
  await pinPrice(deployment, '2.5');
  await moveClock(deployment, 120);
  await quiet(deployment);
  expect(await occurrencesOf(user, automation.id)).toHaveLength(1);
  await pinPrice(deployment, '1.95');
  await moveClock(deployment, 120);
  expect(await untilFired(user, automation.id, 2)).toMatchObject({ run: { status: 'completed', segment: 1 } });
  await quiet(deployment);
  expect(await recorded(deployment, 'contract.used')).toHaveLength(2);
  expect(await operationsOf(user)).toMatchObject([{ status: 'settled' }, { status: 'settled' }]);
  const held = await holdings(user);
  expect([held[usdc], BigInt(held[wrappedNear] ?? '0') > 40n * 10n ** 24n]).toEqual(['230000000', true]);
  expect(await automationOf(user, automation.id)).toMatchObject({ occurrences: 2, revision: automation.revision });
  expect(await auditMoney(deployment)).toEqual([]);
});

it('tells a price every day at nine in Berlin, whatever the season', async () => {
  expect((await user.request('DELETE', `/automations/${automation.id}`)).status).toBe(204);
  const text = '  Every DAY at  09:00 Europe/Berlin tell me the price of NEAR ';
  const { runId, approval } = await asking(user, await conversationOf(user), text);
  expect(approval).toMatchObject({
    summary: expect.stringMatching(
      /^Create the automation “.*”\. It moves nothing without asking you\. Every day at 09:00 \(Europe\/Berlin\), the task runs\./,
    ) as string,
    terms: [
      { name: 'what', text: expect.stringMatching(/^Create the automation “/) as string },
      { name: 'at most', text: 'Nothing without asking you' },
      { name: 'when it acts', text: 'Every day at 09:00 (Europe/Berlin)' },
    ],
  });
  expect((await approve(user, approval)).status).toBe(200);
  expect(await untilEnded(user, runId)).toMatchObject({ response: { text: 'It is set up.' } });
  const { body } = await user.get<Listed<Automation>>('/automations?state=enabled');
  const [daily] = body.data;
  expect(daily).toMatchObject({
    contractApprovalId: null,
    nextRunAt: expect.stringMatching(/T0[78]:00:00\.000Z$/) as string,
  });
  await moveClock(deployment, 86_400);
  const { run } = await untilFired(user, String(daily?.id), 1);
  expect(run).toMatchObject({
    status: 'completed',
    segment: 1,
    request: { input: { text: 'price of NEAR' } },
    response: { text: 'wNEAR is at $1.95.' },
  });
  const [occurrence] = await occurrencesOf(user, String(daily?.id));
  expect(occurrence).toMatchObject({ at: daily?.['nextRunAt'], trigger: 'schedule' });
});
