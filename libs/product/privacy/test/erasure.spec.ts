import { randomUUID } from 'node:crypto';
import { conversationKind } from '@app/conversations';
import { encodeEvent, EventStore, streamName } from '@app/event-store';
import { causeOfService, Clock } from '@app/kernel';
import { auditMoney, unlikeTheEvents } from '@app/testing/audits';
import { operatorOf, type OperatorClient } from '@app/testing/client';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import {
  atRest,
  confirm,
  conversationOf,
  expectProblem,
  missingId,
  moveClock,
  newOwner,
  partOf,
  prepare,
  providerFault,
  prompt,
  say,
  sql,
  usdc,
  type Listed,
} from '@app/testing/journeys';
import { until } from '@app/testing/until';
import { noteText, parseNote, verifyErasure } from '@app/transparency';
import {
  erase,
  erasureOf,
  fileOfAll,
  newPerson,
  reason,
  remainsOf,
  trusted,
  untilErasure,
  type Person,
} from '@app/testing/erasures';

const gone = { erased: true };

interface Account {
  readonly issuer: string;
  readonly subject: string;
}

let deployment: Deployment;
let operator: OperatorClient;
/** The same operator at the other replica. */
let elsewhere: OperatorClient;
const scopes = ['users', 'audit', 'automations', 'runs', 'deployment'];
/** The token of an operator does not last as long as some tests move the clock. */
async function signIn(): Promise<void> {
  operator = await operatorOf(deployment, scopes);
}

beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process', replicas: { api: 2 } });
  await signIn();
  elsewhere = await operatorOf(deployment, scopes, { replica: 1 });
});
afterAll(() => deployment.stop());

const mark = () => `w${randomUUID().replaceAll('-', '')}`;
const keyOf = async (userId: string) =>
  (
    await sql<{ at: Date | null }>(
      deployment,
      "SELECT destroyed_at AS at FROM sealing_keys WHERE key_id = 'u/' || $1",
      [userId],
    )
  )[0];
const streamOf = async (stream: string, by = operator) =>
  (await by.get<Listed>(`/streams/${stream}/events?limit=100`)).body.data;
const certificateOf = (userId: string) =>
  operator.get<{ note: string; statement: Record<string, unknown> }>(`/users/${userId}/erase/certificate`);

describe('an erasure', () => {
  let person: Person;
  let other: Person;
  let account: Account;
  let askedAtMs = 0;
  beforeAll(async () => {
    [person, other] = [await newPerson(deployment, mark()), await newPerson(deployment, mark())];
    account = (await operator.get<{ account: Account }>(`/users/${person.user.userId}`)).body.account;
    for (const by of [operator, elsewhere]) {
      const [talk] = person.conversations;
      expect(JSON.stringify(await streamOf(`conversation-${talk}`, by))).toContain(person.mark);
    }
    askedAtMs = Date.now();
    await erase(operator, person.user);
  });

  it('destroys the keys, which every process forgets, and completes', async () => {
    const destroyedAt = await until('the end of the key', async () => (await keyOf(person.user.userId))?.at);
    const [talk] = person.conversations;
    const forgottenMs = await Promise.all(
      [operator, elsewhere].map((by) =>
        until('a process that has forgotten', async () => {
          const text = JSON.stringify(await streamOf(`conversation-${talk}`, by));
          return text.includes(person.mark) ? null : Date.now() - destroyedAt.getTime();
        }),
      ),
    );
    const done = await untilErasure(operator, person.user, 'completed');
    const afterMs = (at: string | null) => Date.parse(at ?? '') - askedAtMs;
    console.log(
      `keys destroyed ${destroyedAt.getTime() - askedAtMs} ms after the call, completed ${afterMs(done.completedAt)} ms after it; ` +
        `processes forgot within ${Math.max(...forgottenMs)} ms`,
    );
    // The claim is a second; a machine that runs other suites as well takes longer.
    expect(destroyedAt.getTime() - askedAtMs).toBeLessThan(5_000);
    expect(Math.max(...forgottenMs)).toBeLessThan(60_000);
    expect(done).toMatchObject({ status: 'completed', operationsInFlight: 0, wordsLeft: null });
    expect(done.closedEvents).toBeGreaterThan(10);
  });

  it('ends everything that went on', async () => {
    const { body } = await operator.get<Record<string, { count: number }>>(`/users/${person.user.userId}`);
    expect(
      ['liveRuns', 'pendingApprovals', 'unresolvedOperations', 'automations'].map((kind) => body[kind]?.count),
    ).toEqual([0, 0, 0, 0]);
    const rows = await sql(deployment, 'SELECT status FROM financial_operations WHERE id = $1', [
      person.prepared.operationId,
    ]);
    expect(rows).toEqual([{ status: 'expired' }]);
    for (const conversation of person.conversations)
      expect((await streamOf(`conversation-${conversation}`)).at(-1)).toMatchObject({ type: 'conversation.archived' });
  });

  it('shows operators that the words were erased', async () => {
    const { body } = await operator.get(`/users/${person.user.userId}`);
    expect(body['account']).toMatchObject({ issuer: gone, subject: gone, disabled: true });
    const [talk] = person.conversations;
    const events = await streamOf(`conversation-${talk}`);
    expect(events.find(({ type }) => type === 'conversation.created')).toMatchObject({ payload: { title: gone } });
    expect(events.find(({ type }) => type === 'agent.message')).toMatchObject({ payload: { text: gone } });
    const automation = await streamOf(`automation-${person.automationId}`);
    expect(automation[0]).toMatchObject({ payload: { definition: { name: gone, prompt: gone } } });
  });

  it('leaves nothing that leads from the subject to the user, or back', async () => {
    const q = encodeURIComponent(`${account.issuer} ${account.subject}`);
    for (const by of [operator, elsewhere]) expect((await by.get<Listed>(`/users?q=${q}`)).body.data).toEqual([]);
    const keys = await sql(deployment, "SELECT key_id FROM sealing_keys WHERE user_id = $1 AND key_id LIKE 'i/%'", [
      person.user.userId,
    ]);
    expect(keys).toEqual([]);
  });

  it('closes the account for good', async () => {
    for (const path of ['/wallet', '/conversations', '/automations'])
      expectProblem(await person.user.get(path), 'account_disabled');
    expectProblem(await person.user.post('/v1/users'), 'account_disabled');
    expectProblem(await person.user.via(deployment.baseUrls[1] ?? '').post('/v1/users'), 'account_disabled');
    expectProblem(await operator.post(`/users/${person.user.userId}/enable`, { reason }), 'account_disabled');
  });

  it('leaves no word and no key anywhere, and every proof', async () => {
    expect((await other.user.post(`/agent-runs/${other.liveRunId}/abort`)).status).toBe(200);
    await atRest(deployment);
    expect(await remainsOf(deployment, person)).toEqual([]);
    expect(await unlikeTheEvents(deployment.databaseUrl, deployment.eventStoreUrl)).toEqual([]);
    expect(await auditMoney(deployment)).toEqual([]);
  });

  it('leaves every other user as they were', async () => {
    const [talk = ''] = other.conversations;
    const { body } = await other.user.get(`/conversations/${talk}`);
    expect(body['title']).toBe(`${other.mark} talk`);
    expect(await say(other.user, talk, 'repeat after me: still here')).toMatchObject({ status: 'completed' });
    const content = `/conversations/${talk}/artifacts/${other.artifactId}/content`;
    const file = await fetch(other.user.url(content), { headers: other.user.headers });
    expect(await file.text()).toBe(fileOfAll);
    const { body: automation } = await other.user.get(`/automations/${other.automationId}`);
    expect(automation).toMatchObject({ state: 'enabled', definition: { name: `${other.mark} rule` } });
    expect((await confirm(other.user, other.prepared)).status).toBe(202);
    const { body: pending } = await other.user.get<Listed>('/approvals?status=pending');
    expect(pending.data).toHaveLength(1);
  });

  it('is requested once, and logged', async () => {
    const before = await streamOf(`erasure-${person.user.userId}`);
    await erase(operator, person.user);
    expect(await streamOf(`erasure-${person.user.userId}`)).toEqual(before);
    expect(before.map(({ type }) => type)).toEqual([
      'erasure.requested',
      'erasure.keys_destroyed',
      'erasure.purged',
      'erasure.completed',
    ]);
    const { body } = await operator.get<Listed>('/log?limit=100');
    const intents = body.data.filter(({ operation }) => operation === 'users.erase');
    expect(intents).toMatchObject([
      { target: person.user.userId, reason },
      { target: person.user.userId, reason },
    ]);
    const ids = intents.map(({ intentId }) => intentId);
    const completed = body.data.filter(({ type, intentId }) => type === 'operator.completed' && ids.includes(intentId));
    expect(completed).toMatchObject([{ outcome: 'done' }, { outcome: 'done' }]);
  });

  it('has a certificate that anybody can verify, without personal data', async () => {
    const { status, body } = await certificateOf(person.user.userId);
    expect(status).toBe(200);
    const trust = await trusted(deployment);
    const { holds, statement, problems } = verifyErasure(body.note, trust);
    expect([holds, problems]).toEqual([true, []]);
    expect(statement).toEqual(body.statement);
    expect(statement).toMatchObject({
      userId: person.user.userId,
      operationsInFlight: 0,
      keys: { user: 1, conversations: 4, identities: 1 },
      purged: { artifacts: 1, artifactsKept: 0 },
    });
    expect(statement?.before).not.toBeNull();
    for (const words of [person.mark, reason]) expect(body.note).not.toContain(words);
    expect(verifyErasure(body.note, { ...trust, log: [] }).holds).toBe(false);
  });

  it('has a certificate in which nothing can be altered', async () => {
    const { note } = (await certificateOf(person.user.userId)).body;
    const trust = await trusted(deployment);
    const parsed = parseNote(note);
    if (parsed === null) throw new Error('it is no note');
    const { text, signatures } = parsed;
    for (const altered of [
      text.replace(/"closedEvents":\d+/, '"closedEvents":1'),
      text.replaceAll(person.user.userId, other.user.userId),
      text.replace('parley-erasure/1', 'parley-erasure/2'),
    ])
      expect([altered === text, verifyErasure(noteText({ text: altered, signatures }), trust).holds]).toEqual([
        false,
        false,
      ]);
  });
});

async function untilSent(operationId: string, type: string): Promise<void> {
  await until(`${type} of an operation`, async () => {
    const events = await streamOf(`operation-${operationId}`);
    return events.some((event) => event['type'] === type) || null;
  });
}

describe('an erasure of a user with money on its way', () => {
  afterEach(() => providerFault(deployment, prompt));

  it('waits until it is settled', async () => {
    const user = await newOwner(deployment);
    await providerFault(deployment, { settleAfterSeconds: 600 });
    const sent = await prepare(user, usdc, '1000');
    expect((await confirm(user, sent)).status).toBe(202);
    await untilSent(sent.operationId, 'submission.accepted');
    await erase(operator, user);
    await until('the end of the account', async () => ((await user.get('/wallet')).status === 403 ? true : null));
    expect(await erasureOf(operator, user)).toMatchObject({ status: 'ending', operationsInFlight: 1, keys: null });
    expect((await keyOf(user.userId))?.at ?? null).toBeNull();
    await moveClock(deployment, 601);
    const done = await untilErasure(operator, user, 'completed');
    expect(done).toMatchObject({ operationsInFlight: 0 });
    const { statement } = (await certificateOf(user.userId)).body;
    expect(statement['operationsInFlight']).toBe(0);
    expect((await streamOf(`operation-${sent.operationId}`)).at(-1)).toMatchObject({ type: 'operation.settled' });
  });

  it('goes on after a day, and the money is followed to its end nevertheless', async () => {
    const user = await newOwner(deployment);
    const asIs = await sql<{ total: string }>(deployment, 'SELECT sum(amount)::text AS total FROM ledger_balances');
    await providerFault(deployment, { submit: 'timeout_after_accept', settleAfterSeconds: 3600 });
    const sent = await prepare(user, usdc, '1000');
    expect((await confirm(user, sent)).status).toBe(202);
    await untilSent(sent.operationId, 'submission.journaled');
    await providerFault(deployment, { down: true });
    await erase(operator, user);
    await moveClock(deployment, 23 * 3600);
    await signIn();
    expect(await erasureOf(operator, user)).toMatchObject({ status: 'ending' });
    await moveClock(deployment, 3600 + 1);
    await signIn();
    await untilErasure(operator, user, 'completed');
    const { statement } = (await certificateOf(user.userId)).body;
    expect(statement['operationsInFlight']).toBe(1);
    await providerFault(deployment, prompt);
    await moveClock(deployment, 24 * 3600);
    await signIn();
    await until('the end of the operation', async () => {
      const last = (await streamOf(`operation-${sent.operationId}`)).at(-1);
      return last?.['type'] === 'operation.settled' ? true : null;
    });
    expect(await sql(deployment, 'SELECT sum(amount)::text AS total FROM ledger_balances')).toEqual(asIs);
  });
});

describe('an erasure that meets words of an earlier version', () => {
  it('says how many and where, is not completed, and looks again when it is requested again', async () => {
    const user = await newOwner(deployment);
    const conversation = await conversationOf(user, 'a title');
    const store = partOf(deployment, EventStore);
    const at = partOf(deployment, Clock).now();
    const event = { type: 'conversation.updated', at, title: 'in clear' } as const;
    const encoded = encodeEvent(conversationKind, event, causeOfService('test', randomUUID()));
    const stream = streamName(conversationKind, conversation);
    await store.append(stream, [encoded], await store.lastRevision(stream));
    await erase(operator, user);
    const left = { events: 1, streams: [stream], streamsInAll: 1 };
    expect(await untilErasure(operator, user, 'incomplete')).toMatchObject({ wordsLeft: left, completedAt: null });
    expect((await keyOf(user.userId))?.at).not.toBeNull();
    expectProblem(await certificateOf(user.userId), 'not_found');
    await erase(operator, user);
    const types = await until('the end of the second try', async () => {
      const all = (await streamOf(`erasure-${user.userId}`)).map(({ type }) => type);
      return all.at(-1) === 'erasure.words_left' && all.length > 4 ? all : null;
    });
    expect(types.slice(4)).toEqual(['erasure.requested', 'erasure.purged', 'erasure.words_left']);
  });
});

describe('operators', () => {
  it('get a clear refusal for what cannot be erased', async () => {
    const user = await deployment.newUser();
    expectProblem(await operator.post(`/users/${missingId}/erase`, { reason }), 'not_found');
    expectProblem(await operator.post('/users/nobody/erase', { reason }), 'not_found');
    expectProblem(await operator.post(`/users/${user.userId}/erase`, {}), 'invalid_input', { at: ['/reason'] });
    const long = { reason: 'x'.repeat(501) };
    expectProblem(await operator.post(`/users/${user.userId}/erase`, long), 'invalid_input', { at: ['/reason'] });
    expectProblem(await operator.get(`/users/${user.userId}/erase`), 'not_found');
    expectProblem(await operator.get(`/users/${user.userId}/erase/certificate`), 'not_found');
    expectProblem(await operator.get(`/users/${missingId}/erase`), 'not_found');
    const without = await operatorOf(deployment, ['audit']);
    expectProblem(await without.post(`/users/${user.userId}/erase`, { reason }), 'permission_required');
    expect((await user.get('/conversations')).status).toBe(200);
  });

  it('erase a user who has nothing', async () => {
    const user = await deployment.newUser();
    await erase(operator, user);
    expect(await untilErasure(operator, user, 'completed')).toMatchObject({ closedEvents: 1 });
  });
});
