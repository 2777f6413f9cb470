/**
 * A program whose projections have changed: it builds its own tables next to those of the previous program, and shows no list half built.
 */
import { settled } from '@app/testing/audits';
import { startDeployment, type Deployment } from '@app/testing/deployment';
import { conversationOf, say } from '@app/testing/journeys';
import { Client } from 'pg';

const WITHIN_MS = 120_000;

let deployment: Deployment;
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'together' });
});
afterAll(() => deployment.stop());

async function sql(text: string): Promise<unknown[]> {
  const client = new Client({ connectionString: deployment.databaseUrl });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

it(
  'comes up with whole lists, which it has built by the time that it is ready, and answers 503 before',
  async () => {
    const user = await deployment.newUser();
    const conversation = await conversationOf(user, 'before');
    await say(user, conversation, 'what time is it');
    await settled(deployment.databaseUrl, deployment.eventStoreUrl);
    const lists = ['/conversations', '/agent-runs', `/conversations/${conversation}/messages`];
    const answers = () => Promise.all(lists.map(async (list) => user.get(list)));
    const before = await answers();
    expect(before.map(({ status }) => status)).toEqual([200, 200, 200]);
    const [service] = deployment.apis;
    await service?.stop();
    // As if the previous program's projections all had another version.
    await sql('UPDATE read_model_tables SET version = 0');

    const seen = new Map<number, unknown[]>();
    let watching = true;
    const watch = (async () => {
      while (watching)
        for (const { status, body } of await answers().catch(() => []))
          seen.set(status, [...(seen.get(status) ?? []), body]);
    })();
    await service?.start();
    watching = false;
    await watch;
    expect((await answers()).map(({ body }) => body)).toEqual(before.map(({ body }) => body));
    const whole = before.map(({ body }) => JSON.stringify(body));
    expect((seen.get(200) ?? []).map((body) => JSON.stringify(body)).filter((body) => !whole.includes(body))).toEqual(
      [],
    );
    expect([...seen.keys()].filter((status) => status !== 200 && status !== 503)).toEqual([]);
    const live = await sql(`SELECT 1 FROM read_model_tables WHERE table_name LIKE '%\\_2' AND state = 'live'`);
    expect(live.length).toBeGreaterThan(10);

    await say(user, await conversationOf(user, 'after'));
    await settled(deployment.databaseUrl, deployment.eventStoreUrl);
    expect((await user.get<{ total: number }>('/conversations')).body.total).toBe(2);
  },
  WITHIN_MS,
);
