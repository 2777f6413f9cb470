import { asId, type ArtifactId, type ConversationId, type UserId } from '@app/kernel';
import { conversationKeyId, KeyDestroyed, KeyRing } from '@app/sealing';
import { MemoryKeys } from '@app/testing/deciders';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { v7 as uuidV7 } from 'uuid';
import { ArtifactBytes, ErasedContent, type BytesOf, type NewArtifact } from '../src/sealed/artifact-bytes';
import { DirectoryStore } from '../src/stores/directory-store';
import { MissingContent } from '../src/stores/artifact-store';

let folder: string;
let store: DirectoryStore;
let keys: MemoryKeys;
let ring: KeyRing;
let bytes: ArtifactBytes;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-artifact-bytes-'));
  store = new DirectoryStore(folder);
  keys = new MemoryKeys();
  ring = new KeyRing(keys);
  bytes = new ArtifactBytes(store, ring);
});
afterEach(async () => {
  ring.close();
  await rm(folder, { recursive: true, force: true });
});

const sha256Of = (content: Buffer) => createHash('sha256').update(content).digest('hex');
const mark = 'a line of Ada about engines of numbers\n';
const plain = Buffer.from(mark.repeat(8_000));

async function* pieces(content: Buffer): AsyncGenerator<Buffer, void, undefined> {
  for (let at = 0; at < content.length; at += 10_000) yield await Promise.resolve(content.subarray(at, at + 10_000));
}

function someArtifact(): NewArtifact {
  const [userId, conversationId] = [asId<UserId>(uuidV7()), asId<ConversationId>(uuidV7())];
  return { userId, conversationId, artifactId: asId<ArtifactId>(uuidV7()) };
}

async function kept(artifact = someArtifact(), content = plain): Promise<BytesOf> {
  return { ...artifact, ...(await bytes.put(artifact, pieces(content))) };
}

async function read(content: Readable): Promise<Buffer> {
  return Buffer.concat((await content.toArray()) as Buffer[]); // reason: no encoding is set
}

const places = async () => {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found.flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : []));
};
const placeOf = ({ content }: BytesOf) => store.placeOf(content?.sha256 ?? '');

describe('the bytes of an artifact', () => {
  it('are stored sealed, by the hash of what is stored, and read as they were, whole and in parts', async () => {
    const file = await kept();
    expect(file).toMatchObject({ sha256: sha256Of(plain), bytes: plain.length });
    const stored = await readFile(placeOf(file));
    expect(file.content).toEqual({ sha256: sha256Of(stored), bytes: stored.length });
    expect((await read(await bytes.get(file))).equals(plain)).toBe(true);
    for (const [from, to] of [
      [0, 0],
      [0, plain.length - 1],
      [65_470, 65_490],
      [200_000, 299_999],
      [plain.length - 1, plain.length - 1],
    ] as const)
      expect((await read(await bytes.get(file, { range: { from, to } }))).equals(plain.subarray(from, to + 1))).toBe(
        true,
      );
  });

  it('are nowhere in the folder in clear, neither stored nor while they arrive', async () => {
    const seen: Buffer[] = [];
    const watched = async function* () {
      for await (const piece of pieces(plain)) {
        yield piece;
        for (const place of await places()) seen.push(await readFile(place));
      }
    };
    const artifact = someArtifact();
    await bytes.put(artifact, watched());
    for (const place of await places()) seen.push(await readFile(place));
    expect(Math.max(...seen.map(({ length }) => length))).toBeGreaterThan(plain.length);
    for (const content of seen)
      for (const words of [mark, 'engines', sha256Of(plain)]) expect(content.includes(words)).toBe(false);
    expect((await places()).join()).not.toContain(sha256Of(plain));
  });

  it('are shared by no two artifacts, even if a user uploads them twice', async () => {
    const artifact = someArtifact();
    const [one, again] = [await kept(artifact), await kept({ ...artifact, artifactId: asId<ArtifactId>(uuidV7()) })];
    const other = await kept();
    expect(new Set([one, again, other].map(placeOf)).size).toBe(3);
    expect(await bytes.remove(one.content!)).toBe(true); // reason: it is sealed
    for (const file of [again, other]) expect((await read(await bytes.get(file))).equals(plain)).toBe(true);
    await expect(bytes.get(one)).rejects.toThrow(MissingContent);
    expect(await bytes.remove(one.content!)).toBe(true); // reason: it is sealed
  });

  it('do not open as those of another artifact of the conversation', async () => {
    const artifact = someArtifact();
    const one = await kept(artifact);
    const other = { ...one, artifactId: uuidV7() };
    await expect(bytes.get(other).then(read)).rejects.toThrow(`is damaged: put ${placeOf(one)} back`);
  });

  it('are gone with the key of the conversation, and none are stored any more', async () => {
    const artifact = someArtifact();
    const [file, other] = [await kept(artifact), await kept()];
    const id = conversationKeyId(artifact.conversationId);
    keys.destroy(id);
    ring.forget([id]);
    for (const range of [undefined, { from: 1, to: 2 }])
      await expect(bytes.get(file, { range })).rejects.toThrow(ErasedContent);
    const before = await places();
    await expect(kept(artifact)).rejects.toThrow(KeyDestroyed);
    expect(await places()).toEqual(before);
    expect((await read(await bytes.get(other))).equals(plain)).toBe(true);
  });

  it('are stored as a whole or not at all', async () => {
    const gone = new Error('the client went away');
    const broken = async function* () {
      yield* pieces(plain);
      throw gone;
    };
    await expect(bytes.put(someArtifact(), broken())).rejects.toBe(gone);
    expect(await places()).toEqual([]);
  });

  it('that were changed, cut or taken away fail with the place of the sealed file, in parts too', async () => {
    const file = await kept();
    const place = placeOf(file);
    const stored = await readFile(place);
    const [whole, part] = [{}, { range: { from: 200_000, to: 200_010 } }];
    // A byte within the segment of the part.
    await writeFile(place, Buffer.from(stored).fill(stored[200_100]! ^ 1, 200_100, 200_101)); // reason: it is that long
    for (const reading of [whole, part])
      await expect(bytes.get(file, reading).then(read)).rejects.toThrow(`is damaged: put ${place} back`);
    await writeFile(place, stored.subarray(0, -1));
    for (const reading of [whole, part]) await expect(bytes.get(file, reading)).rejects.toThrow(`put ${place} back`);
    await rm(place);
    for (const reading of [whole, part])
      await expect(bytes.get(file, reading)).rejects.toThrow(`is missing: put ${place} back`);
  });

  it('do not hold up a reader that leaves', async () => {
    const content = await bytes.get(await kept(someArtifact(), randomBytes(4_000_000)));
    await new Promise((resolve) => content.once('readable', resolve));
    content.destroy();
    await new Promise((resolve) => content.once('close', resolve));
    expect(content.destroyed).toBe(true);
  });
});

describe('bytes that an earlier version stored in clear', () => {
  it('stay readable under their own hash, whole and in parts', async () => {
    const { sha256, bytes: length } = await store.put(pieces(plain));
    const file = { ...someArtifact(), sha256, bytes: length, content: null };
    expect((await stat(store.placeOf(sha256))).size).toBe(plain.length);
    expect((await read(await bytes.get(file))).equals(plain)).toBe(true);
    expect((await read(await bytes.get(file, { range: { from: 70_000, to: 70_009 } }))).toString()).toBe(
      plain.subarray(70_000, 70_010).toString(),
    );
    expect(keys.reads).toBe(0);
    await rm(store.placeOf(sha256));
    await expect(bytes.get(file)).rejects.toThrow(`is missing: put ${store.placeOf(sha256)} back`);
  });
});
