import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { StrictS3 } from '@app/testing/objects';
import { conversationOf, raw, say } from '@app/testing/journeys';

/** Has the rights of docs/production.md and no others. */
let server: StrictS3;
let deployment: Deployment;
beforeAll(async () => {
  server = await StrictS3.start();
  deployment = await startDeployment({
    mode: 'in-process',
    env: {
      ARTIFACT_STORE: 's3',
      S3_BUCKET: StrictS3.bucket,
      S3_ENDPOINT: server.endpoint,
      S3_ACCESS_KEY_ID: 'S3RVER',
      S3_SECRET_ACCESS_KEY: 'S3RVER',
    },
  });
  await deployment.sandbox('PUT', 'faults', { model: { delayMs: 0 } });
});
afterAll(async () => {
  await deployment.stop();
  await server.stop();
});

it('artifacts live in a bucket as they live in a folder, and are unavailable while it is', async () => {
  const user = await deployment.newUser();
  const conversationId = await conversationOf(user);
  const path = `/conversations/${conversationId}/artifacts`;
  const bytes = new Uint8Array(randomBytes(7 * 1024 * 1024));
  const large = await raw(user, 'POST', `${path}?name=large.bin`, { body: bytes });
  expect(large.status).toBe(201);
  const content = `${path}/${String(large.body['id'])}/content`;
  const answer = await fetch(user.url(content), { headers: user.headers });
  expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);

  const ready = await fetch(`${user.baseUrl}/readyz`);
  expect(await ready.json()).toMatchObject({ checks: { 'artifact store': 'ok' } });
  const part = await fetch(user.url(content), { headers: { ...user.headers, range: 'bytes=6000000-6000999' } });
  expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 6000000-6000999/${bytes.length}`]);
  expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(6_000_000, 6_001_000))).toBe(true);

  const headers = { 'content-type': 'text/plain' };
  const notes = await raw(user, 'POST', `${path}?name=notes.txt`, { body: 'It rained. It stopped.', headers });
  expect(notes.status).toBe(201);
  expect(await say(user, conversationId, 'summarize notes.txt')).toMatchObject({
    response: { text: expect.stringContaining('“It rained. It stopped.”') as unknown },
  });
  // Objects that may not be removed stay for the lifecycle rule, and the service does not try again and again.
  expect(await readdir(join(server.folder, StrictS3.bucket))).toEqual(
    expect.arrayContaining(['artifacts', 'incoming']),
  );
  expect(server.refused.filter((what) => what.startsWith('s3:DeleteObject'))).toHaveLength(0);

  await server.stop();
  const away = { status: 503, body: { reason: 'internal', retryable: true } };
  expect(await user.get(content)).toMatchObject(away);
  expect(await raw(user, 'POST', `${path}?name=x`, { body: 'x' })).toMatchObject(away);
  const told = { response: { text: expect.stringContaining('I could not read it: files are away now.') as unknown } };
  expect(await say(user, conversationId, 'summarize notes.txt')).toMatchObject(told);
});
