import { randomUUID } from 'node:crypto';
import { ModulesContainer } from '@nestjs/core';
import { servedContracts } from '@app/http';
import type { Deployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import { anAutomation, automationOperations, changesAutomation } from './automation-operations';
import type { Ids, OperationCall } from './operation-call';
import { asking, conversationOf, partOf, prepare, raw, say, usdc } from '@app/testing/journeys';

const conversation = '/v1/users/:userId/conversations/:conversationId';
const ofConversation = { id: 'conversationId', in: 'path' } as const;
const artifacts = `${conversation}/artifacts`;
const ofArtifact = { id: 'artifactId', in: 'path' } as const;
const runs = '/v1/users/:userId/agent-runs';
const ofRun = { id: 'runId', in: 'path' } as const;
const approvals = '/v1/users/:userId/approvals';
const ofApproval = { id: 'approvalId', in: 'path' } as const;
const wallet = '/v1/users/:userId/wallet';
const financial = '/v1/users/:userId/financial-operations';
const ofOperation = { id: 'operationId', in: 'path' } as const;
const withFingerprint = ({ fingerprint }: Ids) => ({ fingerprint });

/** Every operation under `/v1`. A new route needs its line here: the matrix fails until it has one. */
export const operations: readonly OperationCall[] = [
  { operation: 'users.ensure', method: 'POST', path: '/v1/users', status: 200, account: 'not required' },
  { operation: 'users.me', method: 'GET', path: '/v1/users/me', status: 200 },
  { operation: 'budget', method: 'GET', path: '/v1/users/:userId/budget', status: 200 },
  {
    operation: 'budget.entries',
    method: 'GET',
    path: '/v1/users/:userId/budget/entries',
    status: 200,
    query: { limit: '2', periodKind: 'month' },
  },
  {
    operation: 'conversations.create',
    method: 'POST',
    path: '/v1/users/:userId/conversations',
    status: 201,
    body: () => ({ title: 'A title' }),
  },
  {
    operation: 'conversations.list',
    method: 'GET',
    path: '/v1/users/:userId/conversations',
    status: 200,
    query: { limit: '2', origin: 'conversation', archived: 'false', active: 'false' },
  },
  {
    operation: 'activity',
    method: 'GET',
    path: '/v1/users/:userId/activity',
    status: 200,
    query: { limit: '2', origin: 'automation', scope: 'actions', activeLimit: '2', recentLimit: '2' },
  },
  { operation: 'conversations.get', method: 'GET', path: conversation, status: 200, resource: ofConversation },
  {
    operation: 'conversations.update',
    method: 'PATCH',
    path: conversation,
    status: 200,
    body: () => ({ title: 'Another title' }),
    resource: ofConversation,
  },
  {
    operation: 'conversations.messages',
    method: 'GET',
    path: `${conversation}/messages`,
    status: 200,
    query: { limit: '2' },
    resource: ofConversation,
  },
  {
    operation: 'events.list',
    method: 'GET',
    path: `${conversation}/events`,
    status: 200,
    query: { limit: '2' },
    resource: ofConversation,
  },
  {
    operation: 'conversations.stream',
    method: 'GET',
    path: `${conversation}/stream`,
    status: 200,
    query: { cursor: '1' },
    resource: ofConversation,
    streams: true,
  },
  {
    operation: 'artifacts.upload',
    method: 'POST',
    path: artifacts,
    status: 201,
    bytes: { body: 'It rained.', query: 'name=notes.txt' },
    resource: ofConversation,
  },
  {
    operation: 'artifacts.list',
    method: 'GET',
    path: artifacts,
    status: 200,
    query: { limit: '2' },
    resource: ofConversation,
  },
  { operation: 'artifacts.get', method: 'GET', path: `${artifacts}/:artifactId`, status: 200, resource: ofArtifact },
  {
    operation: 'artifacts.content',
    method: 'GET',
    path: `${artifacts}/:artifactId/content`,
    status: 200,
    resource: ofArtifact,
    answersBytes: true,
  },
  {
    operation: 'runs.start',
    method: 'POST',
    path: runs,
    status: 202,
    body: ({ conversationId, runId }) => ({
      conversationId,
      runId,
      input: { text: 'repeat after me: x', artifactIds: [] },
      profile: {
        model: 'parley/rules',
        instructions: 'be brief',
        tools: ['current_time'],
        maxSteps: 2,
        outputSchema: { type: 'object', properties: { a: { type: 'integer' } } },
      },
    }),
    resource: { id: 'conversationId', in: 'body' },
  },
  {
    operation: 'runs.list',
    method: 'GET',
    path: runs,
    status: 200,
    query: { limit: '2', conversationId: '0190a000-0000-7000-8000-00000000dead' },
  },
  { operation: 'runs.get', method: 'GET', path: `${runs}/:runId`, status: 200, resource: ofRun },
  { operation: 'runs.abort', method: 'POST', path: `${runs}/:runId/abort`, status: 200, resource: ofRun },
  {
    operation: 'approvals.list',
    method: 'GET',
    path: approvals,
    status: 200,
    query: { limit: '2', status: 'all' },
  },
  { operation: 'approvals.get', method: 'GET', path: `${approvals}/:approvalId`, status: 200, resource: ofApproval },
  {
    operation: 'approvals.receipt',
    method: 'GET',
    path: `${approvals}/:approvalId/receipt`,
    status: 200,
    resource: ofApproval,
  },
  {
    operation: 'approvals.approve',
    method: 'POST',
    path: `${approvals}/:approvalId/approve`,
    status: 200,
    body: withFingerprint,
    resource: ofApproval,
  },
  {
    operation: 'approvals.deny',
    method: 'POST',
    path: `${approvals}/:approvalId/deny`,
    status: 200,
    body: () => ({ reason: 'not today' }),
    resource: ofApproval,
  },
  { operation: 'wallets.ensure', method: 'POST', path: wallet, status: 200 },
  { operation: 'wallets.get', method: 'GET', path: wallet, status: 200 },
  { operation: 'wallets.withdrawalSources', method: 'GET', path: `${wallet}/withdrawals/sources`, status: 200 },
  {
    operation: 'wallets.prepareWithdrawal',
    method: 'POST',
    path: `${wallet}/withdrawals`,
    status: 200,
    body: () => ({ tokenId: usdc, amountRaw: '1' }),
  },
  {
    operation: 'wallets.confirmWithdrawal',
    method: 'POST',
    status: 202,
    path: `${wallet}/withdrawals/:operationId/confirm`,
    body: withFingerprint,
    resource: ofOperation,
  },
  {
    operation: 'financialOperations.list',
    method: 'GET',
    path: financial,
    status: 200,
    query: { limit: '2', status: 'settled' },
  },
  {
    operation: 'financialOperations.get',
    method: 'GET',
    path: `${financial}/:operationId`,
    status: 200,
    resource: ofOperation,
  },
  ...automationOperations,
  // Last, since nothing can be done to its conversation any more.
  {
    operation: 'conversations.archive',
    method: 'POST',
    path: `${conversation}/archive`,
    status: 204,
    resource: ofConversation,
  },
];

/** The path of a call with these ids, escaped, and the query that it cannot do without. */
export function pathOf({ path, bytes }: OperationCall, ids: Ids): string {
  const named = path.replace(/:(\w+Id)/g, (_, name: keyof Ids) => encodeURIComponent(ids[name]));
  return bytes === undefined ? named : `${named}?${bytes.query}`;
}

/** One of each thing that operations act on: all of them a new owner's, the run over, the approval pending, the withdrawal prepared. */
export async function thingsOf(owner: TestClient): Promise<Ids> {
  expect((await owner.post('/wallet')).status).toBe(200);
  const conversationId = await conversationOf(owner);
  const runId = String((await say(owner, conversationId))['id']);
  const artifactId = await artifactOf(owner, conversationId);
  const ids = { userId: owner.userId, conversationId, runId, artifactId };
  const asked = { ...(await waitingApproval(owner)), ...(await prepared(owner)) };
  return { ...ids, ...asked, ...(await anAutomation(owner)) };
}

/** What an operation needs that uses up what it acts on, so that another one can do the same. */
export async function usedUpBy(operation: string, owner: TestClient): Promise<Partial<Ids>> {
  if (operation === 'runs.start') return { runId: randomUUID() };
  if (operation === 'approvals.approve' || operation === 'approvals.deny') return waitingApproval(owner);
  if (changesAutomation(operation)) return anAutomation(owner);
  return operation === 'wallets.confirmWithdrawal' ? prepared(owner) : {};
}

async function artifactOf(owner: TestClient, conversationId: string): Promise<string> {
  const { body } = await raw(owner, 'POST', `/conversations/${conversationId}/artifacts?name=notes.txt`, { body: 'x' });
  return String(body['id']);
}

async function waitingApproval(owner: TestClient): Promise<Pick<Ids, 'approvalId' | 'fingerprint'>> {
  const { approval } = await asking(owner, await conversationOf(owner), 'withdraw 0.000001 USDC');
  return { approvalId: approval.id, fingerprint: approval.fingerprint };
}

async function prepared(owner: TestClient): Promise<Pick<Ids, 'operationId' | 'fingerprint'>> {
  const { operationId, fingerprint } = await prepare(owner, usdc, '1');
  return { operationId, fingerprint };
}

/** The routes under `/v1` that the product really has, as its controllers serve them: `operation METHOD pattern`. */
export function routesOf(deployment: Deployment): string[] {
  const served = servedContracts(partOf(deployment, ModulesContainer)).filter(({ area }) => area === 'partner');
  return served.map(({ operation, method, path }) => `${operation} ${method} ${path}`);
}
