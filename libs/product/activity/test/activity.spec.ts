import { type Deployment, startDeployment } from '@app/testing/deployment';
import { until } from '@app/testing/until';
import {
  asking,
  atRest,
  conversationOf,
  coveredBy,
  defined,
  expectProblem,
  giveInput,
  invoke,
  type Listed,
  newOwner,
  prompt,
  say,
  sql,
  trustedAutomation,
  untilOperation,
} from '@app/testing/journeys';
import { allItems, history, overview, type Item } from './activity';
import { itemsOf, lived, settle, settleAfterSeconds } from './lived';

/** The whole history takes seconds, and many of them on a busy machine. */
const livedWithinMs = 120_000;

let deployment: Deployment;
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process', replicas: { api: 2 } });
  // Submitted operations settle when the test moves the clock, and not before.
  await deployment.sandbox('PUT', 'faults', { provider: { ...prompt, settleAfterSeconds }, model: { delayMs: 0 } });
});
afterEach(() => atRest(deployment));
afterAll(() => deployment.stop());

const isAction = ({ kind, origin }: Item) =>
  /^(approval|operation)_|^automation_fired$/.test(kind) || (kind.startsWith('run_') && origin === 'automation');

describe('history', () => {
  it(
    'tells each milestone once, newest first, on any replica, in any pages and by any filter, also after a rebuild',
    async () => {
      const { user, told } = await lived(deployment);
      const there = user.via(deployment.baseUrls[1] ?? '');
      await atRest(deployment);
      const whole = await allItems(user, 'limit=50');
      expect([...whole].reverse()).toEqual(told);
      expect(await allItems(there, 'limit=3')).toEqual(whole);
      for (const origin of ['conversation', 'automation', 'operation']) {
        const some = whole.filter((one) => one.origin === origin);
        expect(await allItems(user, `limit=2&origin=${origin}`)).toEqual(some);
        expect(await allItems(there, `origin=${origin}&scope=actions`)).toEqual(some.filter(isAction));
      }
      expect(await allItems(user, 'limit=4&scope=actions')).toEqual(whole.filter(isAction));
      expect(await allItems(user, 'limit=50&scope=all')).toEqual(whole);

      const { nextCursor } = await history(user, 'limit=5');
      // Simulate that this version of the projection has no table yet.
      await sql(deployment, `UPDATE read_model_tables SET version = 0 WHERE projection = 'activity'`);
      const stranger = await deployment.newUser();
      await until('the rebuild', async () => {
        const built = `SELECT 1 FROM read_model_tables WHERE table_name = 'activity_2' AND state = 'live'`;
        return (await sql(deployment, built)).length > 0 ? true : null;
      });
      expect((await history(stranger)).data).toEqual([]);
      await conversationOf(stranger, 'of another user');
      await until('the new table', async () => ((await history(stranger)).data.length > 0 ? true : null));
      expect(await allItems(there, 'limit=50')).toEqual(whole);
      expect((await history(there, `limit=50&cursor=${nextCursor}`)).data).toEqual(whole.slice(5, 55));
      expect((await history(stranger)).data).toEqual([expect.objectContaining({ title: '“of another user”' })]);
    },
    livedWithinMs,
  );

  it('tells of an automation’s contract, and of what it authorized', async () => {
    const user = await newOwner(deployment);
    const { id: automationId } = await trustedAutomation(user);
    const { runId, conversationId } = await invoke(user, automationId);
    const { id: approvalId, operationId, summary } = await coveredBy(user, runId);
    await settle(deployment);
    await untilOperation(user, operationId, 'settled');
    const of = itemsOf('automation', { conversationId, automationId, runId });
    const contract = await history(user, 'origin=operation');
    expect(contract.data.map(({ kind, automationId: id }) => [kind, id])).toEqual([
      ['approval_decided', automationId],
      ['approval_opened', automationId],
    ]);
    const used = { approvalId, operationId };
    expect([...(await history(user, 'origin=automation')).data].reverse()).toEqual([
      of('conversation_created', '“Buy NEAR”', { runId: null }),
      of('automation_fired', '“Buy NEAR”'),
      of('run_started', '“swap 10 USDC to NEAR”'),
      of('approval_opened', String(summary), { approvalId }),
      of('approval_decided', `Approved by contract: ${String(summary)}`, { approvalId }),
      of('operation_submitted', String(summary), used),
      of('run_ended', 'Completed: “swap 10 USDC to NEAR”'),
      of('operation_settled', `Settled: ${String(summary)}`, used),
    ]);
  });

  it('repeats and loses nothing that was there, while more is added on both replicas', async () => {
    const user = await deployment.newUser();
    for (let n = 0; n < 12; n += 1) await conversationOf(user, `old ${n}`);
    const there = user.via(deployment.baseUrls[1] ?? '');
    const old = (await history(user, 'limit=50')).data.map(({ id }) => id);
    const seen: string[] = [];
    const page = async (cursor: string): Promise<string | null> => {
      const replica = seen.length % 4 === 0 ? user : there;
      const asked = history(replica, `limit=2${cursor}`);
      const [{ data, nextCursor }] = await Promise.all([asked, conversationOf(user), conversationOf(there)]);
      seen.push(...data.map(({ id }) => id));
      return nextCursor;
    };
    for (let next = await page(''); next !== null;) next = await page(`&cursor=${next}`);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((id) => old.includes(id))).toEqual(old);
  });
});

describe('active and recent', () => {
  it('are the first pages of conversations.list, and their cursors go on there', async () => {
    const user = await newOwner(deployment);
    await say(user, await conversationOf(user, 'idle'));
    const { id: automationId } = await defined(user);
    await giveInput(user, automationId, 'signal');
    for (const title of ['one', 'two']) await asking(user, await conversationOf(user, title), 'withdraw 1 USDC');
    await until('the firing', async () => {
      return (await user.get<Listed>('/conversations?origin=automation')).body.data[0];
    });
    await atRest(deployment);
    for (const [limit, part, list] of [
      ['activeLimit', 'active', 'active=true'],
      ['recentLimit', 'recent', 'origin=conversation'],
    ] as const) {
      const whole = (await user.get<Listed>(`/conversations?${list}`)).body;
      const first = (await overview(user, `${limit}=1`))[part];
      expect(first).toEqual({ ...whole, data: whole.data.slice(0, 1), nextCursor: expect.any(String) as string });
      const rest = await user.get<Listed>(`/conversations?${list}&cursor=${first.nextCursor}`);
      expect(rest.body).toEqual({ ...whole, data: whole.data.slice(1) });
      expect((await overview(user))[part]).toEqual(whole);
    }
    const { active, recent } = await overview(user);
    expect([active.total, recent.total]).toEqual([2, 3]);
    expect(active.data.map(({ title, status }) => [title, status])).toEqual([
      ['two', 'awaiting_approval'],
      ['one', 'awaiting_approval'],
    ]);
  });
});

describe('a query that is not allowed', () => {
  it.each([
    ['limit', ['0', '51', 'x', '']],
    ['activeLimit', ['0', '21']],
    ['recentLimit', ['0', '13']],
    ['origin', ['user', '']],
    ['scope', ['some', '']],
    ['archived', ['true']],
  ])('%s', async (name, values) => {
    const user = await deployment.newUser();
    for (const value of values) {
      expectProblem(await user.get(`/activity?${name}=${value}`), 'invalid_input', { at: [`/${name}`] });
    }
  });

  it('a cursor of another list, filter or user', async () => {
    const [user, stranger] = [await deployment.newUser(), await deployment.newUser()];
    for (const title of ['one', 'two']) await conversationOf(user, title);
    const { nextCursor } = await history(user, 'limit=1');
    const { body } = await user.get<Listed>('/conversations?limit=1');
    for (const query of [`origin=conversation&cursor=${nextCursor}`, `scope=actions&cursor=${nextCursor}`]) {
      expectProblem(await user.get(`/activity?${query}`), 'invalid_cursor');
    }
    expectProblem(await stranger.get(`/activity?cursor=${nextCursor}`), 'invalid_cursor');
    expectProblem(await user.get(`/activity?cursor=${body.nextCursor}`), 'invalid_cursor');
    expect((await history(user, `scope=all&limit=7&cursor=${nextCursor}`)).data).toHaveLength(1);
  });
});
