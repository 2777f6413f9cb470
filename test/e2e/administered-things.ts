import { randomUUID } from 'node:crypto';
import type { Identity, KnownIdentity } from '@app/http';
import { asId, type RunId, type UserId } from '@app/kernel';
import { runKeyOf } from '@app/runs';
import type { OperatorClient, TestClient } from '@app/testing/client';
import type { Deployment } from '@app/testing/deployment';
import { erase, untilErasure } from '@app/testing/erasures';
import {
  confirm,
  conversationOf,
  defined,
  giveInput,
  newOwner,
  prepare,
  say,
  start,
  untilEnded,
  untilOperation,
  usdc,
} from '@app/testing/journeys';
import { Client } from 'pg';

/** A user who owns one of each thing that has a stream, and the key and endpoint of a partner. */
export interface Owner {
  readonly user: TestClient;
  readonly identity: KnownIdentity;
  readonly conversation: string;
  readonly automation: string;
  readonly operation: string;
  /** A completed run, in a conversation of its own. */
  readonly run: { readonly conversationId: string; readonly runId: string; readonly input: { readonly text: string } };
  /** A signal that was handed to an automation of its own. */
  readonly signal: { readonly automation: string; readonly inputId: string; readonly body: object };
  readonly keyId: string;
  readonly endpointId: string;
  /** Another user, who is erased. */
  readonly erased: string;
}

const because = { reason: 'a test' };

/**
 * Creates all of them. The streams of budget, conversation, wallet, automation, operation, user and endpoint get several events, the others
 * one.
 */
export async function ownerOfAll(deployment: Deployment, operator: OperatorClient): Promise<Owner> {
  const user = await newOwner(deployment);
  const done = async (path: string): Promise<void> => {
    expect((await operator.post(path, because)).status).toBe(200);
  };
  for (const change of ['disable', 'enable']) await done(`/users/${user.userId}/${change}`);
  const conversation = await conversationOf(user);
  await say(user, conversation);
  const automation = await defined(user);
  await user.post(`/automations/${automation.id}/pause`, { revision: automation.revision });
  const prepared = await prepare(user, usdc, '1000000');
  expect((await confirm(user, prepared)).status).toBeLessThan(300);
  await untilOperation(user, prepared.operationId, 'settled');
  for (const change of ['disable', 'enable']) await done(`/users/${user.userId}/wallet/${change}`);
  return {
    user,
    identity: await identityOf(deployment, operator, user),
    conversation,
    automation: automation.id,
    operation: prepared.operationId,
    run: await aRun(user),
    signal: await aSignal(user),
    ...(await ofPartner(operator)),
    erased: await erasedUser(deployment, operator),
  };
}

async function erasedUser(deployment: Deployment, operator: OperatorClient): Promise<string> {
  const user = await deployment.newUser();
  await erase(operator, user);
  await untilErasure(operator, user, 'completed');
  return user.userId;
}

async function identityOf(deployment: Deployment, operator: OperatorClient, user: TestClient): Promise<KnownIdentity> {
  const { body } = await operator.get<{ account: Identity }>(`/users/${user.userId}`);
  const { issuer, subject } = body.account;
  const client = new Client({ connectionString: deployment.databaseUrl });
  await client.connect();
  const ofUser = `SELECT substr(key_id, 3) AS id FROM sealing_keys WHERE user_id = $1 AND key_id LIKE 'i/%'`;
  const { rows } = await client.query<{ id: string }>(ofUser, [user.userId]).finally(() => client.end());
  const [row] = rows;
  if (row === undefined) throw new Error(`${user.userId} has no key of an identity`);
  return { id: asId(row.id), issuer, subject };
}

async function aRun(user: TestClient): Promise<Owner['run']> {
  const conversationId = await conversationOf(user);
  const [text, runId] = ['repeat after me: done', randomUUID()];
  await start(user, conversationId, text, { runId });
  await untilEnded(user, runId);
  return { conversationId, runId, input: { text } };
}

async function aSignal(user: TestClient): Promise<Owner['signal']> {
  const { id, revision } = await defined(user, {
    condition: {
      bindings: [{ name: 'order', source: { kind: 'event' }, maxAgeSeconds: 60 }],
      rule: { all: [{ exists: { binding: 'order', field: '/data/paid' } }] },
    },
  });
  const idempotencyKey = randomUUID();
  const { body } = await giveInput(user, id, 'signal', { idempotencyKey });
  return { automation: id, inputId: String(body['inputId']), body: { revision, idempotencyKey } };
}

async function ofPartner(operator: OperatorClient): Promise<Pick<Owner, 'keyId' | 'endpointId'>> {
  const minted = await operator.post('/partner-keys', { label: 'another', ...because });
  const endpoint = await operator.post('/webhook-endpoints', {
    url: 'http://127.0.0.1:9/',
    description: 'another',
    ...because,
  });
  expect([minted.status, endpoint.status].every((status) => status < 300)).toBe(true);
  const endpointId = idIn(endpoint.body, 'endpointId');
  const changed = await operator.request('PATCH', `/webhook-endpoints/${endpointId}`, { enabled: false, ...because });
  expect(changed.status).toBe(200);
  return { keyId: idIn(minted.body, 'keyId'), endpointId };
}

function idIn(body: Record<string, unknown>, name: string): string {
  return String(body[name] ?? body['id'] ?? body['target']);
}

/** A call by the user or by an operator. */
export type Call = readonly ['user' | 'operator', string, string, object?];

/** Makes a call as the owner or as an operator. */
export const answerTo = ({ user }: Pick<Owner, 'user'>, operator: OperatorClient, [by, method, path, body]: Call) =>
  by === 'user' ? user.request(method, path, body) : operator.request(method, path, body);

/**
 * A kind of stream that belongs to a user or a partner: its name, and the calls that need it. The first call succeeds while the stream is
 * whole.
 */
interface AdministeredKind {
  readonly stream: (owner: Owner) => string;
  readonly calls: (owner: Owner) => readonly Call[];
  /** The stream has one event, so `maxCount` hides nothing. */
  readonly isOfOneEvent?: true;
}

/** Ordered so that none needs the stream of an earlier one. */
export const administeredKinds: Readonly<Record<string, AdministeredKind>> = {
  run: {
    stream: ({ user, run: { runId } }) => `run-${runKeyOf(asId<UserId>(user.userId), asId<RunId>(runId))}`,
    calls: ({ run }) => [['user', 'POST', '/agent-runs', run]],
    isOfOneEvent: true,
  },
  input: {
    stream: ({ signal }) => `input-${signal.inputId}`,
    calls: ({ signal: { automation, body } }) => [['user', 'POST', `/automations/${automation}/signal`, body]],
    isOfOneEvent: true,
  },
  partner: {
    stream: ({ keyId }) => `partner-${keyId}`,
    // The first of these calls adds the second event.
    calls: ({ keyId }) => [['operator', 'POST', `/partner-keys/${keyId}/revoke`, because]],
  },
  endpoint: {
    stream: ({ endpointId }) => `endpoint-${endpointId}`,
    calls: ({ endpointId }) => [
      ['operator', 'PATCH', `/webhook-endpoints/${endpointId}`, { description: randomUUID(), ...because }],
    ],
  },
  conversation: {
    stream: ({ conversation }) => `conversation-${conversation}`,
    calls: ({ conversation: id }) => [
      ['user', 'GET', `/conversations/${id}`],
      ['user', 'GET', `/conversations/${id}/events`],
      ['user', 'GET', `/conversations/${id}/stream`],
      ['user', 'POST', `/conversations/${id}/archive`],
      ['user', 'POST', '/agent-runs', { conversationId: id, input: { text: 'hello' } }],
    ],
  },
  wallet: {
    stream: ({ user }) => `wallet-${user.userId}`,
    calls: ({ user: { userId } }) => [
      ['user', 'GET', '/wallet'],
      ['operator', 'POST', `/users/${userId}/wallet/disable`, because],
    ],
  },
  automation: {
    stream: ({ automation }) => `automation-${automation}`,
    calls: ({ automation: id }) => [['user', 'GET', `/automations/${id}`]],
  },
  operation: {
    stream: ({ operation }) => `operation-${operation}`,
    calls: ({ operation: id }) => [['user', 'GET', `/financial-operations/${id}`]],
  },
  budget: {
    stream: ({ user }) => `budget-${user.userId}`,
    calls: ({ user: { userId } }) => [
      ['user', 'GET', '/budget'],
      ['operator', 'POST', `/users/${userId}/freeze`, because],
    ],
  },
  user: {
    stream: ({ user }) => `user-${user.userId}`,
    calls: ({ user: { userId } }) => [
      ['user', 'POST', '/v1/users'],
      ['operator', 'POST', `/users/${userId}/disable`, because],
    ],
  },
  erasure: {
    stream: ({ erased }) => `erasure-${erased}`,
    calls: ({ erased }) => [
      ['operator', 'GET', `/users/${erased}/erase`],
      ['operator', 'GET', `/users/${erased}/erase/certificate`],
      ['operator', 'POST', `/users/${erased}/erase`, because],
    ],
  },
  identity: {
    stream: ({ identity }) => `identity-${identity.id}`,
    calls: ({ identity: { issuer, subject } }) => [
      ['operator', 'GET', `/users?q=${encodeURIComponent(`${issuer} ${subject}`)}`],
      ['user', 'POST', '/v1/users'],
    ],
    isOfOneEvent: true,
  },
};
