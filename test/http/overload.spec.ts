import { type Loopback, signIn, startLoopback, type LoopbackUser } from '@app/testing/http';
import { Metrics } from '@app/runtime';
import { until } from '@app/testing/until';
import { answerTo, type Answer } from './answers';

const atOnce = 4;
/** The factor by which a burst may exceed the limit. */
const burst = 8;

let loopback: Loopback;
let user: LoopbackUser;
beforeAll(async () => {
  loopback = await startLoopback({
    REQUESTS_AT_ONCE: String(atOnce),
    RATE_LIMIT_KEY_PER_MINUTE: '1000000',
    RATE_LIMIT_USER_PER_MINUTE: '1000000',
  });
  user = await signIn(loopback);
});
afterAll(() => loopback.stop());

const ask = (path: string): Promise<Answer> => answerTo(`${loopback.url}/v1/users/${user.userId}${path}`, user.headers);
const aThing = '/things/00000000-0000-4000-8000-000000000001';

/** Keeps `count` slow requests in flight until it is stopped. */
function keepBusy(count: number): () => Promise<void> {
  let isOver = false;
  const lane = async (): Promise<void> => {
    while (!isOver) if ((await ask('/patience')).status !== 200) throw new Error('not served');
  };
  const lanes = Array.from({ length: count }, lane);
  return async () => {
    isOver = true;
    await Promise.all(lanes);
  };
}

test('a line that stays is an overload: what begins is refused, what goes on is served, and all is well when the line is gone', async () => {
  expect((await ask('/things')).status).toBe(200);
  const rest = keepBusy(atOnce);
  const refused = await until('a refusal', async () => {
    const answer = await ask('/things');
    return answer.status === 200 ? null : answer;
  });
  expect([refused.status, refused.body['reason'], refused.body['retryable']]).toEqual([429, 'rate_limited', true]);
  expect(refused.headers.get('retry-after')).toMatch(/^[123]$/);
  // Refused before the caller or the route was examined.
  expect(refused.headers.get('ratelimit')).toBeNull();
  const stranger = await answerTo(`${loopback.url}/v1/users/${user.userId}/things`, {});
  expect([stranger.status, stranger.reason]).toEqual([429, 'rate_limited']);
  expect((await ask(aThing)).status).toBe(200);
  expect((await answerTo(`${loopback.url}/healthz`, {})).status).toBe(200);
  await rest();
  expect((await ask('/things')).status).toBe(200);
});

test('a burst is served as long as it is no flood', async () => {
  // Half a second without a refusal ends the overload of the previous test.
  await until('a burst that is served', async () => {
    const answers = await Promise.all(Array.from({ length: 2 * atOnce }, () => ask('/things')));
    return answers.every(({ status }) => status === 200) ? true : null;
  });
  const flood = Array.from({ length: 2 * burst * atOnce }, () => ask('/patience'));
  const answers = await Promise.all(flood);
  const served = answers.filter(({ status }) => status === 200).length;
  expect(served).toBeGreaterThanOrEqual(atOnce);
  expect(answers.length - served).toBeGreaterThan(0);
  for (const { status } of answers) expect([200, 429]).toContain(status);
});

test('the work for clients that went away counts until it is done, and no longer', async () => {
  await until('everybody served', async () => ((await ask('/things')).status === 200 ? true : null));
  const url = `${loopback.url}/v1/users/${user.userId}/patience`;
  const leave = new AbortController();
  const left = Array.from({ length: 4 * atOnce }, () => fetch(url, { headers: user.headers, signal: leave.signal }));
  await until('all under way', async () => ((await underWay()) >= 4 * atOnce ? true : null));
  leave.abort();
  await Promise.allSettled(left);
  expect(await underWay()).toBe(4 * atOnce);
  await until('nothing under way', async () => ((await underWay()) === 0 ? true : null));
  await until('everybody served', async () => ((await ask('/things')).status === 200 ? true : null));
});

/** The number of requests in flight, from the metrics. */
async function underWay(): Promise<number> {
  const metrics = await loopback.app.get(Metrics, { strict: false }).registry.metrics();
  return Number(/^http_requests_under_way (\d+)$/m.exec(metrics)?.[1]);
}
