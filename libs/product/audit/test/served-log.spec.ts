/** The public log (docs/decisions/proof.md): over HTTP, read only by what C2SP specifies. */
import { EventStore } from '@app/event-store';
import {
  bundlePath,
  entriesIn,
  hashBytes,
  isNoteSignedBy,
  leafHash,
  parseCheckpoint,
  parseNote,
  parseVerifierKey,
  sameHash,
  TiledTree,
  tilePath,
  tilesOf,
  tileWidth,
  toBase64,
  type Checkpoint,
} from '@app/transparency';
import { operatorOf, requestJson, type OperatorClient } from '@app/testing/client';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { conversationOf, expectProblem, partOf, quiet, sql } from '@app/testing/journeys';
import { until } from '@app/testing/until';
import { entryOf, isCovered } from '../src/log/covered-events';

let deployment: Deployment;
let checkpoint: Checkpoint;
let auditor: OperatorClient;

/** Enough for one full tile and a partial one. */
const users = 5;
const conversationsEach = 55;

beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process', env: { LOG_LEVEL: 'error' } });
  await Promise.all(Array.from({ length: users }, talkOften));
  await quiet(deployment);
  auditor = await operatorOf(deployment, ['audit']);
  await sql(deployment, `SELECT pg_notify('parley_checkpoint_wanted', '')`);
  checkpoint = await until('a checkpoint of two tiles', async () => {
    const response = await get('/transparency/checkpoint');
    const found = response.ok ? checkpointIn(await response.text()) : null;
    return found !== null && found.size > tileWidth ? found : null;
  });
});
afterAll(() => deployment?.stop());

async function talkOften(): Promise<void> {
  const user = await deployment.newUser();
  for (let count = 0; count < conversationsEach; count += 1) await conversationOf(user);
}

const get = (path: string, init: RequestInit = {}) => fetch(`${deployment.baseUrls[0]}${path}`, init);
const checkpointIn = (text: string) => parseCheckpoint(parseNote(text)?.text ?? '');

async function bytesAt(path: string, init: RequestInit = {}): Promise<Uint8Array> {
  const response = await get(path, init);
  expect([path, response.status]).toEqual([path, 200]);
  return new Uint8Array(await response.arrayBuffer());
}

const entriesAt = (path: string) =>
  bytesAt(`/transparency/tile/${path}`, { headers: { authorization: `Bearer ${auditor.token}` } });

it('is signed by the key that it shows, under its own name', async () => {
  const [note, keys] = [await get('/transparency/checkpoint'), await get('/transparency/key')];
  for (const { headers } of [note, keys]) {
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(headers.get('cache-control')).toBe('public, max-age=2');
  }
  const [line = '', ...others] = (await keys.text()).split('\n');
  expect(others).toEqual(['']);
  const key = parseVerifierKey(line);
  const parsed = parseNote(await note.text());
  if (key === null || parsed === null) throw new Error('there is no key, or no note');
  expect(isNoteSignedBy(parsed, key)).toBe(true);
  expect(key.name).toBe(checkpoint.origin);
  expect(checkpoint.origin).toMatch(/^parley\/[0-9a-f-]{36}$/);
});

it('leads from its tiles, each of which can be cached for good, to the root of its checkpoint', async () => {
  const tree = new TiledTree(checkpoint.size, (name) => bytesAt(`/transparency/tile/${tilePath(name)}`));
  expect(toBase64(await tree.root())).toBe(toBase64(checkpoint.root));
  for (const name of tilesOf(checkpoint.size)) {
    const response = await get(`/transparency/tile/${tilePath(name)}`);
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(response.headers.get('content-type')).toBe('application/octet-stream');
    expect((await response.arrayBuffer()).byteLength).toBe(name.width * hashBytes);
  }
});

it('serves the first hashes of a tile, any number of them, and parts of one', async () => {
  const whole = await bytesAt('/transparency/tile/0/000');
  for (const width of [1, 2, 100, 255])
    expect(await bytesAt(`/transparency/tile/0/000.p/${width}`)).toEqual(whole.subarray(0, width * hashBytes));
  const { headers } = await get('/transparency/tile/0/000', { method: 'HEAD' });
  const etag = headers.get('etag') ?? '';
  expect([etag, headers.get('content-length')]).toEqual([
    expect.stringMatching(/^"[0-9a-f]{64}"$/),
    String(whole.length),
  ]);
  expect((await get('/transparency/tile/0/000', { headers: { 'if-none-match': etag } })).status).toBe(304);
  const part = await get('/transparency/tile/0/000', { headers: { range: 'bytes=32-63' } });
  expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 32-63/${whole.length}`]);
  expect(new Uint8Array(await part.arrayBuffer())).toEqual(whole.subarray(32, 64));
  const outside = await get('/transparency/tile/0/000', { headers: { range: `bytes=${whole.length}-` } });
  expect([outside.status, outside.headers.get('content-range')]).toEqual([416, `bytes */${whole.length}`]);
});

it('has nothing at any other path, nor beyond its newest checkpoint', async () => {
  const wide = checkpoint.size - tileWidth + 40;
  const spelled =
    '0 0/ 0/0 0/00 0/0000 00/000 0/000.p/0 0/000.p/256 0/000.p/01 0/000.p 0/000/ 0//000 0/x000/001 64/000 x/000 -1/000 ' +
    '0/000.p/1/2 entries 0/%00 0/%2e%2e/000 0%2F000';
  const missing = `0/x001/x234/067.p/12 1/001 1/000 63/000 0/001.p/${wide} 0/001 0/x999/x999/x999/x999/999`;
  const paths = [...spelled.split(' '), ...missing.split(' '), `0/${'x000/'.repeat(500)}000`];
  for (const path of paths) {
    const answer = await requestJson('GET', `${deployment.baseUrls[0]}/transparency/tile/${path}`);
    expectProblem(answer, 'not_found');
    expect([path, answer.headers.get('cache-control')]).toEqual([path, 'no-store']);
  }
  for (const method of ['POST', 'DELETE']) {
    const answer = await requestJson(method, `${deployment.baseUrls[0]}/transparency/tile/0/000`);
    expectProblem(answer, 'method_not_allowed');
    expect(answer.headers.get('allow')).toBe('GET, HEAD');
  }
});

it('shows auditors the entries that its leaves are hashes of, each of what is stored, and logs that', async () => {
  const store = partOf(deployment, EventStore);
  const before = await store.lastRevision('operator-log');
  const covered = (await store.readAllRaw(0, checkpoint.size * 2)).filter(isCovered).slice(0, checkpoint.size);
  const tiles = [...tilesOf(checkpoint.size)].filter(({ level }) => level === 0);
  for (const { index, width } of tiles) {
    const entries = entriesIn(await entriesAt(bundlePath(index, width))) ?? [];
    const hashes = await bytesAt(`/transparency/tile/${tilePath({ level: 0, index, width })}`);
    expect(entries).toHaveLength(width);
    for (const [at, entry] of entries.entries()) {
      expect(sameHash(leafHash(entry), hashes.subarray(at * hashBytes, (at + 1) * hashBytes))).toBe(true);
      const event = covered[index * tileWidth + at];
      if (event === undefined) throw new Error('the log has more entries than the store has events');
      expect(JSON.parse(Buffer.from(entry).toString())).toEqual(entryOf(event));
    }
  }
  expect((await store.lastRevision('operator-log')) - before).toBe(tiles.length);
  const log = await (await operatorOf(deployment, ['deployment'])).get<{ data: object[] }>('/log?limit=1');
  expect(log.body.data[0]).toMatchObject({
    operation: 'transparency.entries',
    target: bundlePath(1, checkpoint.size - tileWidth),
  });
});
