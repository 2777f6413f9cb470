import { conversationOf, start } from '@app/testing/journeys';
import { installedWithinMs } from '@app/testing/programs';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import { startShippedProxy, type ShippedProxy } from './shipped-proxy';

/** A step of the model takes this long, so that its deltas come one by one. */
const stepMs = 3_000;

let deployment: Deployment;
let nginx: ShippedProxy;
let user: TestClient;

beforeAll(async () => {
  deployment = await startDeployment({ mode: 'processes', replicas: { api: 2 } });
  nginx = await startShippedProxy('nginx', deployment.baseUrls);
  user = (await deployment.newUser()).via(nginx.url);
}, installedWithinMs);

afterAll(async () => {
  await nginx.stop();
  await deployment.stop();
});

describe('docker/nginx.conf', () => {
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
    // Were they held back, all would come at the end of the step at once.
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
