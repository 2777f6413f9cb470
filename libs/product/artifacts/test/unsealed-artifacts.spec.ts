/** Artifacts of versions that stored their bytes in clear, by their own hash, stay readable, next to those that are sealed. */
import { connectEventStore, encodeEvent } from '@app/event-store';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { v7 as uuidV7 } from 'uuid';
import { instant, someCause } from '@app/testing/deciders';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import { conversationOf, raw, say } from '@app/testing/journeys';
import { DirectoryStore } from '../src/stores/directory-store';

let folder: string;
let deployment: Deployment;
let user: TestClient;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-unsealed-'));
  deployment = await startDeployment({ mode: 'in-process', env: { PARLEY_DATA_DIR: folder } });
  await deployment.sandbox('PUT', 'faults', { model: { delayMs: 0 } });
  user = await deployment.newUser();
});
afterAll(async () => {
  await deployment.stop();
  await rm(folder, { recursive: true, force: true });
});

const text = 'It rained all day. Nobody went out.';
const sha256 = createHash('sha256').update(text).digest('hex');

/** Records an artifact as version 1 did; returns its id. */
async function uploadedBefore(conversationId: string): Promise<string> {
  const place = new DirectoryStore(join(folder, 'artifacts')).placeOf(sha256);
  await mkdir(dirname(place), { recursive: true });
  await writeFile(place, text);
  const artifactId = uuidV7();
  const facts = { artifactId, name: 'rain.txt', mediaType: 'text/plain', bytes: text.length, sha256 };
  const event = { type: 'artifact.uploaded', at: instant('2026-03-01T10:00:00Z'), ...facts } as const;
  const cause = { ...someCause(), actor: { kind: 'user', id: user.userId, partnerKeyId: 'test' } } as const;
  const client = connectEventStore(deployment.eventStoreUrl);
  await client.appendToStream(
    `conversation-${conversationId}`,
    encodeEvent({ category: 'conversation' }, event, cause),
  );
  await client.dispose();
  return artifactId;
}

it('an artifact of before is listed, downloaded, in parts too, and read by a run', async () => {
  const conversationId = await conversationOf(user);
  const artifactId = await uploadedBefore(conversationId);
  const path = `/conversations/${conversationId}/artifacts`;
  expect((await user.get(`${path}/${artifactId}`)).body).toMatchObject({ id: artifactId, name: 'rain.txt', sha256 });
  const sealed = await raw(user, 'POST', `${path}?name=rain.txt`, { body: text });
  expect(sealed.body).toMatchObject({ sha256 });
  expect((await user.get(path)).body).toMatchObject({ total: 2 });
  for (const id of [artifactId, String(sealed.body['id'])]) {
    const content = user.url(`${path}/${id}/content`);
    const whole = await fetch(content, { headers: user.headers });
    expect([whole.status, whole.headers.get('etag'), await whole.text()]).toEqual([200, `"${sha256}"`, text]);
    const part = await fetch(content, { headers: { ...user.headers, range: 'bytes=3-8' } });
    expect([part.status, await part.text()]).toEqual([206, 'rained']);
  }
  const other = await conversationOf(user);
  await uploadedBefore(other);
  expect(await say(user, other, 'summarize rain.txt')).toMatchObject({
    response: { text: expect.stringContaining('It rained all day.') as unknown },
  });
});
