import { randomUUID } from 'node:crypto';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { Answer, TestClient } from '@app/testing/client';
import {
  conversationOf,
  journalTypes,
  type Listed,
  say,
  sql,
  start,
  type Started,
  untilEnded,
} from '@app/testing/journeys';

const crowd = 200;

let deployment: Deployment;
let user: TestClient;
let there: TestClient;
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process', replicas: { api: 2 } });
});
beforeEach(async () => {
  user = await deployment.newUser();
  there = user.via(deployment.baseUrls[1] ?? '');
});
afterAll(() => deployment.stop());

/** The answers to `crowd` simultaneous calls of one user, spread over these replicas. */
async function together(replicas: readonly TestClient[], call: (client: TestClient) => Promise<Answer<Started>>) {
  return Promise.all(Array.from({ length: crowd }, (_, n) => call(replicas[n % replicas.length] ?? user)));
}

const counted = (answers: readonly Answer<Started>[]) => {
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const reason = 'reason' in body ? ` ${String(body.reason)}` : '';
    counts[`${status}${reason}`] = (counts[`${status}${reason}`] ?? 0) + 1;
  }
  return counts;
};

describe('200 starts at once on one conversation', () => {
  it.each([1, 2])('start one run, over %i replicas; the others hear that it is active', async (replicas) => {
    const id = await conversationOf(user);
    const text = `repeat after me: ${'word '.repeat(750)}`;
    const answers = await together([user, there].slice(0, replicas), (client) => start(client, id, text));
    expect(counted(answers)).toEqual({ '202': 1, '409 run_active': crowd - 1 });
    const started = answers.find(({ status }) => status === 202);
    expect((await there.get<Listed>('/agent-runs')).body).toMatchObject({
      total: 1,
      data: [{ id: started?.body.runId }],
    });
    expect((await there.get('/budget')).body['snapshots']).toMatchObject([
      { reservedCents: 25 },
      { reservedCents: 25 },
    ]);
    expect(await sql(deployment, 'SELECT 1 FROM execution_slots')).toHaveLength(1);
    await user.post(`/agent-runs/${started?.body.runId}/abort`);
    const ofRuns = (await journalTypes(user, id)).filter((type) => type.startsWith('run.'));
    expect(ofRuns).toEqual(['run.started', 'run.stopping', 'run.ended']);
    expect(await say(there, id)).toMatchObject({ status: 'completed' });
  });

  it('with one runId are 200 times the same run, over two replicas', async () => {
    const id = await conversationOf(user);
    const runId = randomUUID();
    const answers = await together([user, there], (client) => start(client, id, 'repeat after me: a b', { runId }));
    expect(counted(answers)).toEqual({ '202': crowd });
    for (const { body } of answers) expect(body).toMatchObject({ runId, conversationId: id, seq: 2 });
    await untilEnded(user, runId);
    expect((await journalTypes(user, id)).filter((type) => type === 'run.started')).toHaveLength(1);
    expect((await there.get<Listed>('/agent-runs')).body.total).toBe(1);
  });

  it('with one runId on two conversations belong to one of them', async () => {
    const ids = [await conversationOf(user), await conversationOf(user)];
    const runId = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        start(n % 3 ? user : there, ids[n % 2] ?? '', 'repeat after me: a', { runId }),
      ),
    );
    expect(counted(answers)).toEqual({ '202': 20, '400 invalid_input': 20 });
    const [owner] = new Set(answers.filter(({ status }) => status === 202).map(({ body }) => body.conversationId));
    expect((await untilEnded(user, runId))['conversationId']).toBe(owner);
  });
});

describe('archiving', () => {
  it('and starting at once leave a conversation that is one or the other', async () => {
    for (let round = 0; round < 8; round += 1) {
      const id = await conversationOf(user);
      const [archived, started] = await Promise.all([
        there.post(`/conversations/${id}/archive`),
        start(user, id, 'repeat after me: a'),
      ]);
      const outcome = `${archived.status} ${started.status}`;
      expect(['204 404', '409 202', '204 202']).toContain(outcome);
      if (started.status === 202) await untilEnded(user, started.body.runId);
      const types = await journalTypes(user, id);
      const end = types.indexOf('conversation.archived');
      // Archived after the run's end or before any start, and never while the run was live.
      if (end >= 0) expect(types.slice(end)).toEqual(['conversation.archived']);
    }
  });
});
