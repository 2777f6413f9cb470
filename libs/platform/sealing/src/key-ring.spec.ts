import type { JsonValue, UserId } from '@app/kernel';
import { randomBytes } from 'node:crypto';
import { KeyRing } from './key-ring';
import { KeyStore, sealedForUser, type KeyId, type SealedFor } from './key-store';
import { sealValue } from './sealed-text';

/** A table of keys in memory; counts its reads. */
class CountedKeys extends KeyStore {
  readonly table = new Map<KeyId, Buffer | null>();
  reads = 0;

  override read(ids: readonly KeyId[]): Promise<ReadonlyMap<KeyId, Buffer | null>> {
    this.reads += 1;
    const found = ids.flatMap((id): [KeyId, Buffer | null][] => {
      const key = this.table.get(id);
      return key === undefined ? [] : [[id, key]];
    });
    return Promise.resolve(new Map(found));
  }

  override make({ keyId }: SealedFor): Promise<Buffer | null> {
    const key = this.table.get(keyId);
    if (key !== undefined) return Promise.resolve(key);
    const made = randomBytes(32);
    this.table.set(keyId, made);
    return Promise.resolve(made);
  }

  override ownerOf(): Promise<UserId | null> {
    return Promise.resolve(null);
  }
}

// Reason for the assertion: any text is an id here.
const [ada, bob] = ['ada', 'bob'].map((name) => sealedForUser(name as UserId)) as [SealedFor, SealedFor];
const valueOf = (key: Buffer, { keyId }: SealedFor, value: JsonValue) =>
  sealValue(key, { keyId, eventId: 'e', path: 'text' }, value);

let keys: CountedKeys;
let ring: KeyRing;
beforeEach(() => {
  keys = new CountedKeys();
  ring = new KeyRing(keys);
});
afterEach(() => ring.close());

/** The number of texts that a ring has opened and still keeps. */
function kept(of = ring): number {
  // Reason for the assertion: nothing else shows what is left in memory.
  return (of as unknown as { opened: { entries: { size: number } } }).opened.entries.size;
}

it('opens a value again, and each time as a new object', async () => {
  const key = await ring.keyOf(ada);
  const sealed = valueOf(key, ada, { words: ['a'] });
  const first = ring.open(key, sealed);
  expect([first, kept()]).toEqual([{ words: ['a'] }, 1]);
  // A reader that alters what it got alters nothing for others.
  Object.assign(first as object, { words: [] });
  expect(ring.open(key, sealed)).toEqual({ words: ['a'] });
});

it('keeps no long text', async () => {
  const key = await ring.keyOf(ada);
  const long = 'x'.repeat(4_000);
  expect([ring.open(key, valueOf(key, ada, long)), kept()]).toEqual([long, 0]);
});

it('forgets what a key has opened with the key, and nothing else', async () => {
  const [adas, bobs] = [await ring.keyOf(ada), await ring.keyOf(bob)];
  const mine = valueOf(adas, ada, 'mine');
  ring.open(adas, mine);
  ring.open(bobs, valueOf(bobs, bob, 'theirs'));
  ring.forget([ada.keyId]);
  expect([kept(), ring.peek(ada.keyId), ring.peek(bob.keyId)]).toEqual([1, undefined, bobs]);
  ring.forgetAll();
  expect([kept(), ring.peek(bob.keyId)]).toEqual([0, undefined]);
});

it('remembers a text until its key is forgotten, or was destroyed', async () => {
  await ring.keyOf(ada);
  ring.remember(ada.keyId, 'page', 'words');
  ring.remember(bob.keyId, 'page', 'whose key is not in memory');
  expect([ring.recall(ada.keyId, 'page'), ring.recall(bob.keyId, 'page')]).toEqual(['words', undefined]);
  ring.forget([ada.keyId]);
  expect([ring.recall(ada.keyId, 'page'), kept()]).toEqual([undefined, 0]);
  keys.table.set(ada.keyId, null);
  await ring.keysOf([ada.keyId]);
  ring.remember(ada.keyId, 'page', 'words');
  expect([ring.recall(ada.keyId, 'page'), kept()]).toEqual([undefined, 0]);
});

it('sweeps what was opened within ten seconds', async () => {
  jest.useFakeTimers();
  const swept = new KeyRing(keys);
  try {
    const key = await swept.keyOf(ada);
    swept.open(key, valueOf(key, ada, 'mine'));
    await jest.advanceTimersByTimeAsync(9_000);
    expect(kept(swept)).toBe(1);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(kept(swept)).toBe(0);
  } finally {
    swept.close();
    jest.useRealTimers();
  }
});

it('does not open a value with another key', async () => {
  const [adas, bobs] = [await ring.keyOf(ada), await ring.keyOf(bob)];
  expect(() => ring.open(bobs, valueOf(adas, ada, 'mine'))).toThrow();
  expect(kept()).toBe(0);
});
