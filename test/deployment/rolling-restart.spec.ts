/**
 * Two api processes are restarted one after the other under load, behind all shipped proxies at once: no call is lost, no write is done
 * twice, and streams continue where they were. Also the requests and frames that nginx must pass on unchanged.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { conversationOf, type Listed, start } from '@app/testing/journeys';
import { installedWithinMs } from '@app/testing/programs';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { type Answer, FollowingReader, type TestClient } from '@app/testing/client';
import { until } from '@app/testing/until';
import { type ProxyName, startShippedProxy, type ShippedProxy } from './shipped-proxy';

const full = process.env['FIGURES'] === 'full';
const names: readonly ProxyName[] = ['nginx', 'haproxy', 'apache', 'caddy'];
/** Callers behind each proxy. */
const callers = full ? 4 : 2;
/** Pause between two calls of a caller. */
const pauseMs = full ? 20 : 600;
/** Calls behind each proxy, before, between and after the restarts. */
const callsBetween = full ? 40 : 8;
const restartedWithinMs = 600_000;
const goesOnWithinMs = 120_000;
/** A step of the model takes this long, so that its deltas arrive one by one. */
const stepMs = 3_000;

/** The results of the callers behind one proxy. */
class Tally {
  readonly lost: string[] = [];
  calls = 0;
  refused = 0;
  isOver = false;

  /** Retries until the service has served the call, and only after answers that declare themselves retryable. */
  async served<Body>(what: string, call: () => Promise<Answer<Body>>): Promise<Answer<Body> | null> {
    for (;;) {
      this.calls += 1;
      const answer = await call().catch((error: unknown) => inspect(error));
      if (typeof answer === 'string') {
        this.lost.push(`${what}: ${answer}`);
        return null;
      }
      if (answer.status < 500) return answer;
      // Reason for the assertion: every refusal of the service is a problem; a proxy's own page is not.
      const problem = answer.body as { readonly retryable?: unknown };
      if (answer.status !== 503 || problem.retryable !== true) {
        this.lost.push(`${what}: ${answer.status}`);
        return null;
      }
      this.refused += 1;
      await sleep(pauseMs);
    }
  }
}

interface Caller {
  readonly user: TestClient;
  readonly titles: string[];
  readonly runs: number;
  readonly reader: FollowingReader;
}

/** A proxy, with the callers behind it and their results. */
interface Behind {
  readonly proxy: ShippedProxy;
  readonly tally: Tally;
  readonly calling: Promise<Caller[]>;
}

let deployment: Deployment;
const proxies: ShippedProxy[] = [];
const behind = new Map<ProxyName, Behind>();
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'api-apart', replicas: { api: 2 } });
  for (const name of names) behind.set(name, await callBehind(name));
  await restartBoth();
}, installedWithinMs + restartedWithinMs);
afterAll(async () => {
  await Promise.all(proxies.map((proxy) => proxy.stop()));
  await deployment.stop();
});

/** Starts the proxy, and callers that continue until the tally is over. */
async function callBehind(name: ProxyName): Promise<Behind> {
  const proxy = await startShippedProxy(name, deployment.baseUrls);
  proxies.push(proxy);
  const users = await Promise.all(Array.from({ length: callers }, () => deployment.newUser()));
  // Makes each replica fetch the issuer's keys first, because one of the two replicas is the issuer.
  for (const user of users)
    for (const url of deployment.baseUrls) expect((await user.via(url).get('/v1/users/me')).status).toBe(200);
  const tally = new Tally();
  const calling = Promise.all(users.map((user) => callOn(user.via(proxy.url), tally)));
  calling.catch(() => (tally.isOver = true));
  return { proxy, tally, calling };
}

async function restartBoth(): Promise<void> {
  const tallies = [...behind.values()].map(({ tally }) => tally);
  try {
    await moreCalls(tallies);
    for (const api of deployment.apis) {
      expect(await api.stop()).toBe(0);
      await moreCalls(tallies);
      await api.start();
      await moreCalls(tallies);
    }
  } finally {
    for (const tally of tallies) tally.isOver = true;
  }
}

/** Reads, creates conversations, and starts one run after the other while following them, until the tally is over. */
async function callOn(user: TestClient, tally: Tally): Promise<Caller> {
  const conversationId = await conversationOf(user);
  const reader = new FollowingReader([user], conversationId);
  const titles: string[] = [];
  let runs = 0;
  while (!tally.isOver) {
    const title = `made ${randomUUID()}`;
    await tally.served('GET users.me', () => user.get('/v1/users/me'));
    const made = await tally.served('POST conversations', () => user.post('/conversations', { title }));
    if (made?.status === 201) titles.push(title);
    const runId = randomUUID();
    const text = 'repeat after me: done';
    const started = await tally.served('POST agent-runs', () => start(user, conversationId, text, { runId }));
    if (started?.status === 202) {
      runs += 1;
      const ended = runs;
      await until('the end of the run', () => Promise.resolve(endsOf(reader) >= ended || null), goesOnWithinMs);
    }
    await sleep(pauseMs);
  }
  return { user, titles, runs, reader };
}

const endsOf = (reader: FollowingReader): number => reader.seen.filter(({ type }) => type === 'run.ended').length;

/** Waits until the callers behind each proxy have made `callsBetween` more calls. */
async function moreCalls(tallies: readonly Tally[]): Promise<void> {
  const wanted = tallies.map((tally) => ({ tally, calls: tally.calls + callsBetween }));
  const areServed = () => wanted.every(({ tally, calls }) => tally.calls >= calls || tally.isOver);
  await until('more calls', () => Promise.resolve(areServed() || null), goesOnWithinMs);
}

async function titlesOf(user: TestClient): Promise<string[]> {
  const titles: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: Answer<Listed<{ readonly title: string | null }>> = await user.get(
      `/conversations?limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`,
    );
    titles.push(...page.body.data.flatMap(({ title }) => (title?.startsWith('made ') === true ? [title] : [])));
    cursor = page.body.nextCursor;
  }
  return titles;
}

it.each(names)('behind %s', async (name) => {
  const { proxy, tally, calling } = behind.get(name)!; // reason for the assertion: one was made of each name
  const done = await calling;
  process.stdout.write(
    `rolling restart behind ${name}: ${callers} callers (4 with FIGURES=full), ${tally.calls} calls, ${tally.refused} refused, ` +
      `${tally.lost.length} lost\n`,
  );
  if (tally.lost.length > 0) process.stdout.write(`errors of ${name}: ${await proxy.errors()}\n`);
  expect(tally.lost).toEqual([]);
  for (const { user, titles, runs, reader } of done) {
    expect((await titlesOf(user)).sort()).toEqual(titles.sort());
    await reader.close();
    expect([reader.faults, endsOf(reader)]).toEqual([[], runs]);
    expect(reader.connections).toBeGreaterThan(1);
  }
});

describe('docker/nginx.conf', () => {
  let user: TestClient;
  beforeAll(async () => {
    user = (await deployment.newUser()).via(behind.get('nginx')!.proxy.url); // reason for the assertion: it was started above
  });

  it('passes every frame of a stream on as it comes', async () => {
    await deployment.sandbox('PUT', 'faults', { model: { delayMs: stepMs } });
    const conversationId = await conversationOf(user);
    const stream = await user.stream(`/conversations/${conversationId}/stream`);
    const arrivedMs: number[] = [];
    const started = await start(user, conversationId, 'repeat after me: one two three four five six seven eight');
    expect(started.status).toBe(202);
    for (let seen = 0, over = false; !over;) {
      const at = seen;
      const frame = await stream.until((one) => stream.frames.indexOf(one) >= at);
      seen = stream.frames.indexOf(frame) + 1;
      if (frame.event === 'agent.text_delta') arrivedMs.push(performance.now());
      over = frame.event === 'run.ended';
    }
    await stream.close();
    expect(arrivedMs.length).toBeGreaterThan(5);
    // If frames were held back, all would arrive at once, at the end of the step.
    expect((arrivedMs.at(-1) ?? 0) - (arrivedMs[0] ?? 0)).toBeGreaterThan(stepMs / 3);
  });

  it("hands on the caller's request id, and has one minted for who sent none", async () => {
    const named = await fetch(user.url('/v1/users/me'), {
      headers: { ...user.headers, 'x-request-id': 'my-own-id-1' },
    });
    expect([named.status, named.headers.get('x-request-id')]).toEqual([200, 'my-own-id-1']);
    const unnamed = await fetch(user.url('/v1/users/me'), { headers: user.headers });
    expect(unnamed.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('leaves what is too large to the service, which says so as a problem', async () => {
    const answer = await user.post('/conversations', { title: 'x'.repeat(300_000) });
    expect(answer).toMatchObject({ status: 413, body: { type: 'urn:parley:error:too_large' } });
  });

  it('goes on with one replica when the other dies', async () => {
    await deployment.apis[1]?.kill('SIGKILL');
    for (let asked = 0; asked < 8; asked += 1) expect((await user.get('/v1/users/me')).status).toBe(200);
    expect((await user.post('/conversations')).status).toBe(201);
  });
});
