/** Read models are rebuilt, switched and rolled back while two replicas serve: no request fails, and none reads older data than before. */
import { Rebuilds } from '@app/read-store';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { partOf } from '@app/testing/journeys';
import { until } from '@app/testing/until';
import { v7 as uuidV7 } from 'uuid';

const rounds = 3;
const withinMs = 120_000;

let deployment: Deployment;
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process', replicas: { api: 2 } });
});
afterAll(() => deployment.stop());

/**
 * Creates conversations and reads each on the other replica at once, until it is aborted. Returns the wrong answers and the number written.
 */
function writeAndRead(signal: AbortSignal): Promise<{ readonly wrong: unknown[]; readonly written: number }> {
  const run = async () => {
    const user = await deployment.newUser();
    const elsewhere = user.via(deployment.baseUrls[1] ?? '');
    const wrong: unknown[] = [];
    let written = 0;
    for (; !signal.aborted; written += 1) {
      const made = await user.post<{ id: string }>('/conversations', { title: `number ${written}` });
      const listed = await elsewhere.get<{ total: number; data: { id: string }[] }>('/conversations?limit=1');
      const isThere = listed.body.data?.[0]?.id === made.body.id && listed.body.total === written + 1;
      if (made.status !== 201 || listed.status !== 200 || !isThere) wrong.push([written, made.status, listed]);
    }
    return { wrong, written };
  };
  return run();
}

async function rebuilt(rebuilds: Rebuilds): Promise<string> {
  const id = uuidV7();
  expect(await rebuilds.start(id, 'conversations', 'a test')).toEqual({ kind: 'done' });
  const rebuild = await until('the rebuild', async () => {
    const found = await rebuilds.find(id);
    return found?.state === 'ready' || found?.state === 'failed' ? found : null;
  });
  expect(rebuild).toMatchObject({ state: 'ready', differences: { missing: 0, extra: 0, changed: 0 } });
  return id;
}

it(
  'a rebuild under load has no difference, and its switch is seen by nobody',
  async () => {
    const stopping = new AbortController();
    const lanes = Array.from({ length: 4 }, () => writeAndRead(stopping.signal));
    const rebuilds = partOf(deployment, Rebuilds);
    for (let round = 0; round < rounds; round += 1) {
      const id = await rebuilt(rebuilds);
      expect(await rebuilds.switchOver(id, null)).toEqual({ kind: 'done' });
      if (round === 1) expect(await rebuilds.rollBack(id)).toEqual({ kind: 'done' });
    }
    const last = await rebuilt(rebuilds);
    expect(await rebuilds.discard(last)).toEqual({ kind: 'done' });
    stopping.abort();
    const ended = await Promise.all(lanes);
    expect(ended.flatMap(({ wrong }) => wrong)).toEqual([]);
    for (const { written } of ended) expect(written).toBeGreaterThan(10);
  },
  withinMs,
);
