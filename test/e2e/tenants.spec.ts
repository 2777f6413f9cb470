import { randomUUID } from 'node:crypto';
import { CommandBus } from '@nestjs/cqrs';
import { MintPartnerKey, RevokePartnerKey } from '@app/partners';
import { DisableUser } from '@app/users';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { Answer, TestClient } from '@app/testing/client';
import { until } from '@app/testing/until';
import {
  atRest,
  byOperator,
  eventCount,
  expectProblem,
  missingId,
  partOf,
  prompt,
  quiet,
  sql,
} from '@app/testing/journeys';
import { forger, type Forge } from './forger';
import type { Ids, OperationCall } from './operation-call';
import { contracts, missingIn, operations, pathOf, routesOf } from './operations';
import { thingsOf, usedUpBy } from './things';

let deployment: Deployment;
let user: TestClient;
let stranger: TestClient;
let disabled: TestClient;
let mine: Ids;
let theirs: Ids;
let forge: Forge;
let revokedKey: string;

beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process', env: { LOG_LEVEL: 'error' } });
  // Approved and confirmed operations settle at once, so that no event is recorded later.
  await deployment.sandbox('PUT', 'faults', { provider: prompt, model: { delayMs: 0 } });
  [user, stranger, disabled] = [await deployment.newUser(), await deployment.newUser(), await deployment.newUser()];
  mine = await thingsOf(user);
  theirs = await thingsOf(stranger);
  await partOf(deployment, CommandBus).execute(new DisableUser(byOperator(disabled)));
  forge = await forger(deployment, user);
  const { cause } = byOperator(user);
  const minted = await partOf(deployment, CommandBus).execute(new MintPartnerKey({ label: 'old', cause }));
  if (!minted.ok) throw new Error('no key was minted');
  revokedKey = minted.value.key;
  await partOf(deployment, CommandBus).execute(new RevokePartnerKey({ keyId: minted.value.keyId, cause }));
  await quiet(deployment);
});
afterAll(() => deployment.stop());

/** Waits for runs to begin and for money to be recorded as settled, both of which happen some time after the call was answered. */
async function allDone(): Promise<void> {
  const unadmitted = `SELECT 1 FROM occurrences WHERE delivery = 'pending'`;
  const unsettled = `SELECT 1 FROM financial_operations WHERE status = 'submitted'`;
  await until('the end of what was accepted', async () => {
    const open = await sql(deployment, `${unadmitted} UNION ALL ${unsettled}`);
    return open.length === 0 ? true : null;
  });
  await atRest(deployment);
}

const malformed: Partial<Ids> = {
  conversationId: 'x',
  runId: 'x',
  approvalId: 'x',
  operationId: 'x',
  artifactId: 'x',
  messageId: 'x',
  automationId: 'x',
  inputId: 'x',
};

interface Request {
  readonly ids?: Partial<Ids>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers to leave out. */
  readonly without?: readonly string[];
  readonly as?: TestClient;
}

type Cell = Answer & { readonly text: string };

async function call(
  operation: OperationCall,
  { ids = {}, query, headers = {}, without = [], as = user }: Request,
): Promise<Cell> {
  const all = { ...mine, ...ids };
  const body = operation.body?.(all);
  const sent = new Headers({ ...as.headers, ...(body && { 'content-type': 'application/json' }), ...headers });
  for (const name of without) sent.delete(name);
  const abort = new AbortController();
  const response = await fetch(as.baseUrl + pathOf(operation, all, query), {
    method: operation.method,
    headers: sent,
    signal: abort.signal,
    ...(body && { body: JSON.stringify(body) }),
    ...(operation.bytes && { body: operation.bytes.body }),
  });
  if (operation.streams && response.status === 200) {
    abort.abort();
    return { status: 200, headers: response.headers, body: {}, text: '' };
  }
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' || (operation.answersBytes && response.ok) ? {} : (JSON.parse(text) as object),
    text,
  } as Cell; // reason: tests read members
}

/** Everything by which a client could distinguish two answers, except the request's id, the date and the rate limit. */
function seenBy({ status, headers, body, text }: Cell): unknown {
  const shown = [...headers].filter(([name]) => !['date', 'x-request-id', 'ratelimit'].includes(name));
  return [status, shown, text.replaceAll(String(body['requestId']), 'the request')];
}

const bearer = async (...forgery: Parameters<Forge>) => ({ authorization: `Bearer ${await forge(...forgery)}` });
const yesterday = Math.floor(Date.now() / 1000) - 86_400;

it('every route has its cells', () => {
  const planned = operations.map(({ operation, method, path }) => `${operation} ${method} ${path}`);
  expect(routesOf(deployment).sort()).toEqual(planned.sort());
});

it.each(contracts.map((contract) => [contract.operation, contract] as const))(
  '%s has an example of all that its cells need',
  (_, contract) => expect(missingIn(contract)).toEqual([]),
);

it('checks come in one order: each request mends what was refused before', async () => {
  const operation = operations.find((candidate) => candidate.operation === 'conversations.update');
  if (operation === undefined) throw new Error('the operation is gone');
  const nobody = await bearer({ sub: `nobody-${randomUUID()}` });
  const ids: Partial<Ids> = { userId: missingId, conversationId: 'x' };
  const wrong: Request = { ids, headers: { origin: 'https://evil.example' }, without: ['x-api-key', 'authorization'] };
  const long = { ...operation, body: () => ({ title: 'x'.repeat(300_000) }) };
  const bad = { ...operation, body: () => ({ title: '' }) };
  expectProblem(await call(long, wrong), 'origin_rejected');
  expectProblem(await call(long, { ids, without: ['x-api-key', 'authorization'] }), 'partner_key_required');
  expectProblem(
    await call(long, { ids, headers: { 'x-api-key': 'x' }, without: ['authorization'] }),
    'partner_key_invalid',
  );
  expectProblem(await call(long, { ids, without: ['authorization'] }), 'unauthenticated');
  expectProblem(await call(long, { ids, headers: nobody }), 'account_not_provisioned');
  expectProblem(await call(long, { ids, as: disabled }), 'account_disabled');
  expectProblem(await call(long, { ids: { ...ids, userId: 'x' } }), 'not_found');
  expectProblem(await call(long, { ids }), 'subject_mismatch');
  expectProblem(await call(long, { ids: { conversationId: 'x' } }), 'not_found');
  expectProblem(await call(long, { ids: { conversationId: missingId } }), 'too_large');
  expectProblem(await call(bad, { ids: { conversationId: missingId } }), 'invalid_input', { at: ['/title'] });
  expectProblem(await call(operation, { ids: { conversationId: missingId } }), 'not_found');
});

describe.each(operations)('$operation', (operation) => {
  const { account, resources, path } = operation;
  const cell = (request: Request) => call(operation, request);

  it('serves its own user', async () => {
    const ids = await usedUpBy(operation.operation, user);
    expect(await cell({ ids })).toMatchObject({ status: operation.status });
    const { query } = operation;
    if (query !== undefined) expect(await cell({ query })).toMatchObject({ status: operation.status });
    if (operation.method !== 'GET') await allDone();
  });

  it('lets nobody in without good credentials, and records nothing', async () => {
    const before = await eventCount(deployment);
    expectProblem(await cell({ headers: { origin: 'https://evil.example' } }), 'origin_rejected');
    expectProblem(await cell({ headers: { origin: 'null' } }), 'origin_rejected');
    expectProblem(await cell({ without: ['x-api-key'] }), 'partner_key_required');
    expectProblem(await cell({ without: ['x-api-key', 'authorization'] }), 'partner_key_required');
    for (const key of ['nonsense', `pk_${'A'.repeat(43)}`, revokedKey]) {
      expectProblem(await cell({ headers: { 'x-api-key': key } }), 'partner_key_invalid');
    }
    const missing = [
      { without: ['authorization'] },
      { headers: { authorization: user.token } },
      { headers: { authorization: `Basic ${user.token}` } },
      { headers: { authorization: 'Bearer ' } },
    ];
    const refused = [
      { headers: { authorization: 'Bearer a.b.c' } },
      { headers: await bearer({ iss: 'https://evil.example' }) },
      { headers: await bearer({ aud: 'someone-else' }) },
      { headers: await bearer({ exp: undefined }) },
      { headers: await bearer({ sub: undefined }) },
      { headers: await bearer({ nbf: Math.floor(Date.now() / 1000) + 600 }) },
      { headers: await bearer({}, 'none') },
      { headers: await bearer({}, 'HS256') },
      { headers: await bearer({}, 'unknown kid') },
      { headers: await bearer({}, 'altered') },
    ];
    for (const request of [...missing, ...refused]) {
      const answer = await cell(request);
      expectProblem(answer, 'unauthenticated');
      const isOfToken = !missing.includes(request);
      expect(answer.headers.get('www-authenticate')).toBe(isOfToken ? 'Bearer error="invalid_token"' : 'Bearer');
    }
    expectProblem(await cell({ headers: await bearer({ exp: yesterday, iat: yesterday - 60 }) }), 'credential_expired');
    expectProblem(await cell({ as: disabled }), 'account_disabled');
    const unprovisioned = await cell({ headers: await bearer({ sub: `nobody-${randomUUID()}` }) });
    if (account === undefined) expectProblem(unprovisioned, 'account_not_provisioned');
    // An identity that is new is opened, and gets an account.
    expect((await eventCount(deployment)) - before).toBe(account === undefined ? 0 : 2);
  });

  if (path.includes(':userId')) {
    it('is not for another user, known or not', async () => {
      const before = await eventCount(deployment);
      for (const userId of [stranger.userId, missingId]) {
        const mismatched = await cell({ ids: { userId } });
        expectProblem(mismatched, 'subject_mismatch');
        expect(seenBy(await cell({ ids: { ...malformed, userId } }))).toEqual(seenBy(mismatched));
      }
      expectProblem(await cell({ as: stranger }), 'subject_mismatch');
      for (const userId of ['x', `${user.userId}0`, '..%2f'])
        expectProblem(await cell({ ids: { userId } }), 'not_found');
      expect(await eventCount(deployment)).toBe(before);
    });
  }

  for (const resource of resources) {
    it(`answers alike for a ${resource.id} that is missing, foreign or malformed`, async () => {
      const before = await eventCount(deployment);
      const missing = await cell({ ids: { [resource.id]: missingId, ...freshRun(operation) } });
      expectProblem(missing, 'not_found');
      const others = [theirs[resource.id], theirs[resource.id].toUpperCase()];
      const broken = resource.in === 'path' ? ['x', `${missingId}0`, ' ', 'é', '%', '0'.repeat(300), 'null'] : [];
      for (const id of [...others, ...broken]) {
        const answer = await cell({ ids: { [resource.id]: id, ...freshRun(operation) } });
        expect(seenBy(answer)).toEqual(seenBy(missing));
      }
      expect(await eventCount(deployment)).toBe(before);
    });
  }
});

/** Each start names another run, because a recorded one would be answered again whatever conversation is named. */
function freshRun({ operation }: OperationCall): Partial<Ids> {
  return operation === 'runs.start' ? { runId: randomUUID() } : {};
}
