import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { asId } from '@app/kernel';
import { KeyRing, sealedForConversation } from '@app/sealing';
import { MemoryKeys } from '@app/testing/deciders';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import { conversationOf, eventCount, missingId, raw, say } from '@app/testing/journeys';
import { ArtifactContent } from '../src/artifact-content';
import type { ArtifactFile } from '../src/artifact.schema';
import { ArtifactBytes } from '../src/sealed/artifact-bytes';
import { DirectoryStore } from '../src/stores/directory-store';

const limitBytes = 1024 * 1024;
const piece = Buffer.alloc(64 * 1024, 'x');
const withinMs = 120_000;

let folder: string;
let deployment: Deployment;
let user: TestClient;
let conversationId: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-uploads-'));
  const env = { ARTIFACT_LIMIT_BYTES: String(limitBytes), PARLEY_DATA_DIR: folder };
  deployment = await startDeployment({ mode: 'in-process', env });
  user = await deployment.newUser();
  conversationId = await conversationOf(user);
});
afterAll(async () => {
  await deployment.stop();
  await rm(folder, { recursive: true, force: true });
});

/** The head of an upload; the test sends its body. */
function begin(headers: Record<string, string | number>, conversation = conversationId): ClientRequest {
  const upload = request(user.url(`/conversations/${conversation}/artifacts?name=x`), {
    method: 'POST',
    headers: { ...user.headers, 'content-type': 'text/plain', ...headers },
  });
  // A client that is refused in the middle is disconnected in the end.
  upload.on('error', () => undefined);
  upload.flushHeaders();
  return upload;
}

async function statusOf(upload: ClientRequest): Promise<number | undefined> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    upload.once('response', resolve);
    setTimeout(() => reject(new Error('no answer came')), withinMs).unref();
  });
  answer.resume();
  return answer.statusCode;
}

/** Sends pieces until the answer arrives or the limit is far exceeded; returns the bytes sent. */
async function sendOn(upload: ClientRequest): Promise<number> {
  let answered = false;
  upload.once('response', () => (answered = true));
  let sentBytes = 0;
  for (; !answered && sentBytes < 100 * limitBytes; sentBytes += piece.length) {
    upload.write(piece);
    await sleep(1);
  }
  return sentBytes;
}

/** The places of stored files. */
async function storedFiles(): Promise<string[]> {
  const found = await readdir(join(folder, 'artifacts'), { recursive: true, withFileTypes: true }).catch(() => []);
  return found.flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : []));
}

const filesOnTheWay = () => readdir(join(folder, 'artifacts', 'incoming')).catch(() => []);

async function eventually(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error('it did not come to be');
    await sleep(10);
  }
}

afterEach(async () => {
  await eventually(async () => (await filesOnTheWay()).length === 0);
});

describe('an upload', () => {
  it('that says to be too large is refused before any of it is read', async () => {
    const upload = begin({ 'content-length': limitBytes + 1 });
    expect(await statusOf(upload)).toBe(413);
    upload.destroy();
  });

  it('that turns out to be too large is refused before the rest is read', async () => {
    const upload = begin({ 'transfer-encoding': 'chunked' });
    const status = statusOf(upload);
    const sentBytes = await sendOn(upload);
    expect(await status).toBe(413);
    expect(sentBytes).toBeLessThan(20 * limitBytes);
    upload.destroy();
  });

  it('to what is not there is refused before any of it is read', async () => {
    const upload = begin({ 'content-length': limitBytes }, missingId);
    expect(await statusOf(upload)).toBe(404);
    upload.destroy();
  });

  it('that turns out to be empty is refused', async () => {
    const upload = begin({ 'transfer-encoding': 'chunked' });
    upload.end();
    expect(await statusOf(upload)).toBe(400);
  });

  it('goes to its place while it arrives, and leaves nothing when its client goes away', async () => {
    const before = await eventCount(deployment);
    const uploads = Array.from({ length: 4 }, () => begin({ 'content-length': limitBytes }));
    for (const upload of uploads) upload.write(piece);
    await eventually(async () => (await filesOnTheWay()).length === uploads.length);
    for (const upload of uploads) upload.destroy();
    await eventually(async () => (await filesOnTheWay()).length === 0);
    expect(await eventCount(deployment)).toBe(before);
    expect((await user.get(`/conversations/${conversationId}/artifacts`)).body).toMatchObject({ total: 0 });
  });

  it('whose conversation is archived meanwhile is refused', async () => {
    const archived = await conversationOf(user);
    const upload = begin({ 'content-length': 2 * piece.length }, archived);
    upload.write(piece);
    await eventually(async () => (await filesOnTheWay()).length === 1);
    expect((await user.post(`/conversations/${archived}/archive`)).status).toBe(204);
    upload.end(piece);
    expect(await statusOf(upload)).toBe(404);
    expect((await user.get(`/conversations/${archived}/artifacts`)).body).toMatchObject({ total: 0 });
  });

  it('in pieces of no declared length is kept whole', async () => {
    const upload = begin({ 'transfer-encoding': 'chunked' });
    for (let sent = 0; sent < limitBytes; sent += piece.length) upload.write(piece);
    upload.end();
    expect(await statusOf(upload)).toBe(201);
    const { body } = await user.get<{ data: { bytes: number }[] }>(`/conversations/${conversationId}/artifacts`);
    expect(body.data.map(({ bytes }) => bytes)).toEqual([limitBytes]);
  });
});

describe('an artifact whose bytes were changed at equal length', () => {
  it.each([10, 100_000, 900_000])('of %d bytes is never answered as whole', async (length) => {
    const conversation = await conversationOf(user);
    const path = `/conversations/${conversation}/artifacts`;
    const before = new Set(await storedFiles());
    const { body } = await raw(user, 'POST', `${path}?name=rain.txt`, { body: 'x'.repeat(length) });
    const [file = ''] = (await storedFiles()).filter((one) => !before.has(one));
    await writeFile(file, 'y'.repeat((await stat(file)).size));
    const outcome = await fetch(user.url(`${path}/${String(body['id'])}/content`), { headers: user.headers })
      .then(async (answer) => [answer.status, (await answer.text()).length])
      .catch(() => 'broke off');
    const told = { response: { text: expect.stringContaining('missing or damaged') as unknown } };
    expect(await say(user, conversation, 'summarize rain.txt')).toMatchObject(told);
    if (length < 64 * 1024) expect(outcome).toEqual([503, expect.any(Number)]);
    else expect(['broke off', 503]).toContain(Array.isArray(outcome) ? outcome[0] : outcome);
  });
});

describe('an artifact whose file is missing', () => {
  it('is unavailable until an operator puts the file back, whose place the failure names', async () => {
    const conversation = await conversationOf(user);
    const before = new Set(await storedFiles());
    const uploaded = await raw(user, 'POST', `/conversations/${conversation}/artifacts?name=rain.txt`, {
      body: 'It rained.',
    });
    const path = `/conversations/${conversation}/artifacts/${String(uploaded.body['id'])}`;
    const sha256 = String(uploaded.body['sha256']);
    const [file = ''] = (await storedFiles()).filter((one) => !before.has(one));
    await rename(file, `${file}.away`);
    const refused = await user.get(`${path}/content`);
    const problem = { type: 'urn:parley:error:unavailable', reason: 'internal', retryable: true };
    expect(refused).toMatchObject({ status: 503, body: problem });
    for (const name of [sha256, basename(file)]) expect(JSON.stringify(refused.body)).not.toContain(name);
    expect((await user.get(path)).status).toBe(200);

    // The log has the error's message.
    const keys = new KeyRing(new MemoryKeys());
    await keys.keyOf(sealedForConversation(asId(conversation), asId(user.userId)));
    const contents = new ArtifactContent(new ArtifactBytes(new DirectoryStore(join(folder, 'artifacts')), keys));
    const { body: artifact } = await user.get<Omit<ArtifactFile, 'content'>>(path);
    const request = { method: 'GET', headers: {} };
    const content = { sha256: basename(file), bytes: 100 };
    // Reason for the assertion: nothing else of the reply is read before the bytes are there.
    const reading = contents.open({ ...artifact, content }, { request } as Parameters<ArtifactContent['open']>[1]);
    await expect(reading).rejects.toThrow(`the content of an artifact is missing: put ${file} back`);
    keys.close();

    await rename(`${file}.away`, file);
    const answered = await fetch(user.url(`${path}/content`), { headers: user.headers });
    expect([answered.status, await answered.text()]).toEqual([200, 'It rained.']);
  });
});
