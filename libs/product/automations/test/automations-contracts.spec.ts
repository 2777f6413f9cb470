/** The approval of an automation's contract, from its opening to its end (docs/decisions/approvals.md and docs/decisions/automations.md). */
import { verifyReceipt } from '@app/receipts';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import { until } from '@app/testing/until';
import {
  type Approval,
  approvalOf,
  approve,
  contractApprovalOf,
  contractOf,
  expectProblem,
  type Listed,
  moveClock,
  newAutomation,
  newOwner,
  redefine,
  wrappedNear,
} from '@app/testing/journeys';

const approvalSeconds = 600;

let deployment: Deployment;
let user: TestClient;
beforeAll(async () => {
  const env = { LOG_LEVEL: 'silent', AUTOMATION_APPROVAL_SECONDS: String(approvalSeconds) };
  deployment = await startDeployment({ mode: 'in-process', env });
});
beforeEach(async () => (user = await newOwner(deployment)));
afterAll(() => deployment.stop());

it('is pending, in the list, and decided once', async () => {
  const approval = await contractApprovalOf(user, await newAutomation(user));
  expect((await user.get<Listed<Approval>>('/approvals')).body).toMatchObject({ total: 1, data: [approval] });
  expectProblem(await user.post(`/approvals/${approval.id}/approve`, { fingerprint: 'sha256:0' }), 'invalid_input', {
    at: ['/fingerprint'],
  });
  const answers = await Promise.all([approve(user, approval), approve(user, approval), approve(user, approval)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  expect((await user.get<Listed<Approval>>('/approvals')).body).toMatchObject({ total: 0, data: [] });
  expectProblem(await user.post(`/approvals/${approval.id}/deny`, {}), 'approval_not_pending');
  const { body } = await user.get(`/approvals/${approval.id}/receipt`);
  const decision = { status: 'approved', decidedBy: 'user', actor: { kind: 'user', id: user.userId } };
  expect(body).toMatchObject({ approval: { kind: 'automation_contract', status: 'approved' }, decision });
  expect(verifyReceipt(body).problems).toEqual([]);
});

it('says what wakes the rule, and what must hold then', async () => {
  const price = { name: 'near', source: { kind: 'token_price', tokenId: wrappedNear }, maxAgeSeconds: 600 };
  const left = { binding: 'near', field: '/priceUsd' };
  const condition = { bindings: [price], rule: { compare: { left, op: 'lt', right: { value: '2' } } } };
  const { summary } = await contractApprovalOf(user, await newAutomation(user, { condition }));
  expect(summary).toMatch(
    / acts when an event of type “never.sent” arrives, if the price of \S+ is below \$2, by values at most \d+ seconds old\. Its task: “.*”\.$/,
  );
});

it('expires superseded when the contract is changed before it is decided', async () => {
  const automation = await newAutomation(user);
  const changed = await redefine(user, automation, { contract: contractOf({ maxUses: 1 }) });
  const old = await contractApprovalOf(user, automation);
  expect(old).toMatchObject({ status: 'expired', endedReason: 'superseded', decidedAt: null });
  expect(await approve(user, old)).toMatchObject({ status: 409, body: { reason: 'approval_not_pending' } });
  expect(await contractApprovalOf(user, changed)).toMatchObject({ status: 'pending' });
  expect((await user.request('DELETE', `/automations/${automation.id}`)).status).toBe(204);
  expect(await contractApprovalOf(user, changed)).toMatchObject({ status: 'expired', endedReason: 'superseded' });
});

it("expires in its time, and is another user's to neither see nor decide", async () => {
  const approval = await contractApprovalOf(user, await newAutomation(user));
  const stranger = await deployment.newUser();
  expectProblem(await stranger.get(`/approvals/${approval.id}`), 'not_found');
  expectProblem(await approve(stranger, approval), 'not_found');
  await moveClock(deployment, approvalSeconds);
  const look = async () => ((await approvalOf(user, approval.id)).status === 'expired' ? true : null);
  await until('its expiry', look);
  expect(await approvalOf(user, approval.id)).toMatchObject({ endedReason: 'timeout', decidedBy: null });
  expect(await approve(user, approval)).toMatchObject({ status: 409, body: { reason: 'approval_not_pending' } });
  const { body } = await user.get(`/approvals/${approval.id}/receipt`);
  const ended = { kind: 'automation_contract', status: 'expired' };
  expect(body).toMatchObject({ approval: ended, decision: null, operation: null });
  expect(verifyReceipt(body).problems).toEqual([]);
});
