import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';
import { startDeployment, type Deployment } from '../support/deployment';
import { conversationOf, raw, say } from './journeys';

const bucket = 'parley-files';

let folder: string;
let server: S3rver;
let deployment: Deployment;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-s3-'));
  const options = { address: '127.0.0.1', port: 0, silent: true, directory: folder };
  server = new S3rver({ ...options, configureBuckets: [{ name: bucket, configs: [] }] });
  const { port } = await server.run();
  deployment = await startDeployment({
    mode: 'in-process',
    env: {
      ...{ ARTIFACT_STORE: 's3', S3_BUCKET: bucket, S3_ENDPOINT: `http://127.0.0.1:${port}` },
      ...{ S3_ACCESS_KEY_ID: 'S3RVER', S3_SECRET_ACCESS_KEY: 'S3RVER' },
    },
  });
  await deployment.sandbox('PUT', 'faults', { model: { delayMs: 0 } });
});
afterAll(async () => {
  await deployment.stop();
  await rm(folder, { recursive: true, force: true });
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

  const headers = { 'content-type': 'text/plain' };
  const notes = await raw(user, 'POST', `${path}?name=notes.txt`, { body: 'It rained. It stopped.', headers });
  expect(notes.status).toBe(201);
  expect(await say(user, conversationId, 'summarize notes.txt')).toMatchObject({
    response: { text: expect.stringContaining('“It rained. It stopped.”') as unknown },
  });
  expect((await readdir(join(folder, bucket))).filter((name) => !name.startsWith('.'))).toEqual(['artifacts']);

  await server.close();
  const away = { status: 503, body: { reason: 'internal', retryable: true } };
  expect(await user.get(content)).toMatchObject(away);
  expect(await raw(user, 'POST', `${path}?name=x`, { body: 'x' })).toMatchObject(away);
  const told = { response: { text: expect.stringContaining('I could not read it: files are away now.') as unknown } };
  expect(await say(user, conversationId, 'summarize notes.txt')).toMatchObject(told);
});
