/** A worker is lost in the middle of a call to an MCP server, which is away when another worker takes the run over. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { v5 as uuidV5 } from 'uuid';
import { RunLeases } from '@app/runs';
import type { TestClient } from '@app/testing/client';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import {
  approve,
  conversationOf,
  eventsOf,
  freeLease,
  journalTypes,
  partOf,
  pendingOf,
  start,
  untilEnded,
} from '@app/testing/journeys';
import { LoopbackMcp, saying } from '@app/testing/mcp';
import { until } from '@app/testing/until';
import { McpServers } from '../../src/mcp/mcp-servers';
import { HeldRecords } from '../held-records';

/** Replicas: the one where runs begin, and the one that takes them over. */
const [LOST, OTHER] = [0, 1] as const;
/** Longer than a poll of the servers takes, which must not be what the call waits for. */
const aWhileMs = 1500;
const briefMs = 1000;

let mcp: LoopbackMcp;
let deployment: Deployment;
let records: HeldRecords;
let user: TestClient;
beforeAll(async () => {
  mcp = await LoopbackMcp.start();
  mcp.tools = [{ name: 'cancel' }, { name: 'refund' }, { name: 'send' }];
  const transport = { type: 'http', url: mcp.url };
  const tools = { refund: { consent: 'ask' }, send: { consent: 'auto', idempotent: false } };
  const servers = [
    { name: 'orders', transport, consent: 'auto', idempotent: true, tools },
    { name: 'brief', transport, consent: 'auto', idempotent: true, startTimeoutMs: briefMs },
  ];
  const env = { MCP_SERVERS: JSON.stringify(servers), LOG_LEVEL: 'silent' };
  deployment = await startDeployment({ mode: 'in-process', replicas: { api: 2 }, env });
  await deployment.sandbox('PUT', 'faults', { model: { delayMs: 0 } });
  records = new HeldRecords(deployment);
});
beforeEach(async () => {
  await mcp.restart();
  mcp.answer = () => saying('done');
  mcp.calls.length = 0;
  const servers = partOf(deployment, McpServers, LOST);
  await until('the tools', async () => {
    await servers.look(); // it may have forgotten the session
    return servers.servers.every(({ isAway }) => !isAway) || null;
  });
  records.watch();
  const leases = partOf(deployment, RunLeases, LOST);
  jest.spyOn(leases, 'claim').mockResolvedValue([]);
  jest.spyOn(leases, 'renew').mockResolvedValue({ stopping: [], retaken: [], lost: [] });
  user = await deployment.newUser();
});
afterEach(() => jest.restoreAllMocks());
afterAll(async () => {
  await deployment.stop();
  await mcp.stop();
});

/** Starts a run whose worker is lost before an append; the server goes away, and another worker takes the run over. */
async function takenOver(tool: string, at: 'ReturnTool' | 'SuspendRun') {
  const conversationId = await conversationOf(user);
  const runId = randomUUID();
  records.hold(LOST, runId, at);
  const { status } = await start(user, conversationId, `call ${tool} {"orderId": "A-17"}`, { runId });
  expect(status).toBe(202);
  await records.reached(LOST, runId);
  await mcp.stop();
  await partOf(deployment, McpServers, OTHER).look();
  await freeLease(deployment, uuidV5(runId, user.userId));
  await until('the take-over', async () =>
    (await journalTypes(user, conversationId)).includes('run.claimed') ? true : null,
  );
  expect(await records.release(LOST, runId)).toBe('fenced');
  const returned = async () =>
    (await eventsOf(user, conversationId, 'tool.returned')).map(({ outcome, result }) => [outcome, result]);
  return { runId, conversationId, returned };
}

const unknown = [['error', { error: 'outcome unknown: the call was cut off, and its server is still away' }]];

it('is waited for, and asked again with the key of the call, where it does nothing twice', async () => {
  const { runId, returned } = await takenOver('orders_cancel', 'ReturnTool');
  await sleep(aWhileMs);
  expect(await returned()).toEqual([]);
  await mcp.restart();
  expect(await untilEnded(user, runId)).toMatchObject({ status: 'completed' });
  expect(await returned()).toEqual([['ok', { text: 'done' }]]);
  expect(mcp.calls.map(({ name, meta }) => [name, meta['parley/toolCallId']])).toEqual([
    ['cancel', `${runId}/1/0`],
    ['cancel', `${runId}/1/0`],
  ]);
});

it('is waited for also where only that tells that the user has not been asked yet', async () => {
  const { runId, conversationId, returned } = await takenOver('orders_refund', 'SuspendRun');
  await sleep(aWhileMs);
  expect([await returned(), await eventsOf(user, conversationId, 'approval.opened')]).toEqual([[], []]);
  await mcp.restart();
  const approval = await pendingOf(user, runId);
  expect([approval.tool, mcp.calls]).toEqual(['orders_refund', []]);
  const other = user.via(deployment.baseUrls[OTHER]!); // reason for the assertion: there are two
  expect((await approve(other, approval)).status).toBe(200);
  expect(await untilEnded(user, runId)).toMatchObject({ status: 'completed' });
  expect(await returned()).toEqual([['ok', { text: 'done' }]]);
});

it('is waited for as long as its start may take', async () => {
  const { runId, returned } = await takenOver('brief_cancel', 'ReturnTool');
  expect(await untilEnded(user, runId)).toMatchObject({ status: 'completed' });
  expect(await returned()).toEqual(unknown);
});

it('is not waited for where it would do it twice', async () => {
  const begunAt = performance.now();
  const { runId, returned } = await takenOver('orders_send', 'ReturnTool');
  expect(await untilEnded(user, runId)).toMatchObject({ status: 'completed' });
  const [[outcome, result] = []] = await returned();
  expect([outcome, JSON.stringify(result)]).toEqual(['error', expect.stringContaining('outcome unknown')]);
  expect([mcp.calls.length, performance.now() - begunAt < 30_000]).toEqual([1, true]);
});

it('is not waited for once the run is to stop', async () => {
  const { runId, returned } = await takenOver('orders_cancel', 'ReturnTool');
  expect((await user.post(`/agent-runs/${runId}/abort`)).body).toEqual({ aborted: true });
  expect(await untilEnded(user, runId)).toMatchObject({ status: 'aborted' });
  expect(await returned()).toEqual(unknown);
});
