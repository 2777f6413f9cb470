import { startDeployment, type Deployment } from '../support/deployment';
import type { TestClient } from '../support/deployment-client';
import { conversationOf, type Listed } from '../e2e/journeys';
import { setTimeout as sleep } from 'node:timers/promises';

let deployment: Deployment;
beforeAll(async () => (deployment = await startDeployment({ mode: 'in-process' })), 60_000);
afterAll(() => deployment.stop());

async function pendingApproval(user: TestClient, text: string) {
  const conversationId = await conversationOf(user);
  const started = await user.post('/agent-runs', { conversationId, input: { text } });
  for (let i = 0; i < 400; i++) {
    const { body } = await user.get<Listed>('/approvals');
    if (body.data.length > 0) return { conversationId, runId: String(started.body['runId']), approval: body.data[0]! };
    await sleep(25);
  }
  const events = await user.get(`/conversations/${conversationId}/events`);
  throw new Error(JSON.stringify(events.body, null, 1));
}

it('withdraws', async () => {
  const user = await deployment.newUser();
  const { conversationId, runId, approval } = await pendingApproval(user, 'withdraw 1.5 USDC');
  console.log(JSON.stringify(approval, null, 1));
  const approved = await user.post(`/approvals/${approval['id']}/approve`, { fingerprint: approval['fingerprint'] });
  console.log(approved.status, approved.body);
  for (let i = 0; i < 200; i++) {
    const run = await user.get(`/agent-runs/${runId}`);
    if (run.body['endedAt']) { console.log(run.body); break; }
    await sleep(50);
  }
  await deployment.sandbox('POST', 'clock', { advanceSeconds: 60 });
  await sleep(500);
  const events = await user.get<Listed<any>>(`/conversations/${conversationId}/events`);
  console.log(events.body.data.map((e: any) => JSON.stringify(e.payload)).join('\n'));
  const receipt = await user.get(`/approvals/${approval['id']}/receipt`);
  console.log(JSON.stringify(receipt.body, null, 1));
}, 60_000);
