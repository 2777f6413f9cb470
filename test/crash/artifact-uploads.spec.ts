/**
 * A service that is killed amid uploads leaves nothing that is named, and nothing in clear: what had arrived lies sealed among the unfinished
 * uploads, until it is removed. Artifacts that were acknowledged are whole.
 */
import { readdir, readFile } from 'node:fs/promises';
import { mkdtemp, rm } from 'node:fs/promises';
import { request, type ClientRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { conversationOf, raw } from '@app/testing/journeys';
import type { TestClient } from '@app/testing/client';
import { until } from '@app/testing/until';

const mark = 'a line of Ada about engines of numbers\n';
const whole = mark.repeat(5_000);
const uploadsCount = 4;

let folder: string;
let deployment: Deployment;
let user: TestClient;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-killed-uploads-'));
  deployment = await startDeployment({ mode: 'together', env: { PARLEY_DATA_DIR: folder } });
  user = await deployment.newUser();
});
afterAll(async () => {
  await deployment.stop();
  await rm(folder, { recursive: true, force: true });
});

async function files(below: string): Promise<string[]> {
  const found = await readdir(join(folder, below), { recursive: true, withFileTypes: true });
  return found.flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : []));
}

/** An upload that goes on for ever. */
function begin(conversationId: string): ClientRequest {
  const upload = request(user.url(`/conversations/${conversationId}/artifacts?name=x`), {
    method: 'POST',
    headers: { ...user.headers, 'content-type': 'text/plain', 'content-length': 2 * whole.length },
  });
  upload.on('error', () => undefined); // the service is killed
  upload.write(whole);
  return upload;
}

it('uploads in flight leave nothing that is named, and nothing in clear', async () => {
  const conversationId = await conversationOf(user);
  const path = `/conversations/${conversationId}/artifacts`;
  const kept = await raw(user, 'POST', `${path}?name=kept.txt`, { body: whole });
  expect(kept.status).toBe(201);
  const uploads = Array.from({ length: uploadsCount }, () => begin(conversationId));
  const incoming = async () => {
    const arrived = await Promise.all((await files('artifacts/incoming')).map((file) => readFile(file)));
    return arrived.filter(({ length }) => length > whole.length / 2).length === uploadsCount ? arrived : null;
  };
  await until('bytes of each', incoming);
  await Promise.all(deployment.apis.map((api) => api.kill()));
  for (const upload of uploads) upload.destroy();
  const left = await files('artifacts');
  expect(left).toHaveLength(uploadsCount + 1);
  for (const file of left) expect((await readFile(file)).includes(mark)).toBe(false);

  await Promise.all(deployment.apis.map((api) => api.start()));
  expect((await user.get(path)).body).toMatchObject({ total: 1, data: [{ name: 'kept.txt' }] });
  const content = await fetch(user.url(`${path}/${String(kept.body['id'])}/content`), { headers: user.headers });
  expect(await content.text()).toBe(whole);
});
