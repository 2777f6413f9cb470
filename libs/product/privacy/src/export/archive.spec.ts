import { createHash, randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { zipFiles } from '@app/testing/exports';
import { Archive } from './archive';

const mebibyte = 1024 * 1024;
const usual = { madeAt: new Date('2026-03-01T10:00:00Z'), withinMs: 60_000 };

async function whole(archive: Readable): Promise<Buffer> {
  // Reason for the assertion: an archive has no encoding.
  return Buffer.concat((await archive.toArray()) as Buffer[]);
}

function collect(): void {
  setFlagsFromString('--expose-gc');
  // Reason for the assertion: with the flag, a new context has the function.
  (runInNewContext('gc') as () => void)();
}

function liveBytes(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Content that does not compress, in pieces of 64 KiB. */
function* content(mebibytes: number): Generator<Uint8Array, void, undefined> {
  for (let n = 0; n < mebibytes * 16; n += 1) yield randomBytes(mebibyte / 16);
}

describe('an archive', () => {
  it('has each file, with its length and hash', async () => {
    const made: unknown[] = [];
    const archive = Archive.made(usual, async (into) => {
      made.push(await into.add('one.txt', ['one ', Buffer.from('piece')]));
      made.push(await into.add('folder/empty.txt', []));
    });
    const files = zipFiles(await whole(archive));
    expect([...files].map(([name, bytes]) => [name, bytes.toString()])).toEqual([
      ['one.txt', 'one piece'],
      ['folder/empty.txt', ''],
    ]);
    const sha256 = createHash('sha256').update('one piece').digest('hex');
    expect(made[0]).toEqual({ name: 'one.txt', bytes: 9, sha256 });
  });

  it('needs memory that does not depend on its size', async () => {
    const archive = Archive.made(usual, async (into) => {
      for (let n = 0; n < 8; n += 1) await into.add(`${n}.bin`, content(16));
    });
    const before = liveBytes();
    let [bytes, most, next] = [0, 0, 0];
    for await (const chunk of archive) {
      // Reason for the assertion: an archive has no encoding.
      bytes += (chunk as Buffer).length;
      if (bytes < next) continue;
      most = Math.max(most, liveBytes() - before);
      next += 40 * mebibyte;
    }
    console.log(`${Math.round(bytes / mebibyte)} MiB in all, ${(most / mebibyte).toFixed(1)} MiB of memory`);
    expect(bytes).toBeGreaterThan(128 * mebibyte);
    expect(most).toBeLessThan(32 * mebibyte);
  });

  it('begins no file before its reader has taken those before it', async () => {
    const begun: number[] = [];
    const archive = Archive.made(usual, async (into) => {
      for (let n = 0; n < 8; n += 1) {
        begun.push(n);
        await into.add(`${n}.bin`, content(4));
      }
    });
    await sleep(200);
    expect(begun).toEqual([0]);
    archive.destroy();
  });

  it('keeps little of files that are complete', async () => {
    // Garbage of other tests, a few MiB, is little next to so many files.
    const files = 20_000;
    const archive = Archive.made(usual, async (into) => {
      for (let n = 0; n < files; n += 1) await into.add(`artifacts/${n}`, ['small']);
    });
    const before = liveBytes();
    for await (const _ of archive); // only read
    const eachBytes = (liveBytes() - before) / files;
    console.log(`${Math.round(eachBytes)} bytes for each file`);
    expect(eachBytes).toBeLessThan(1_024);
  });

  it('breaks off where a file fails, and has no end', async () => {
    async function* failing() {
      yield 'a piece';
      await sleep(1);
      throw new Error('the store is away');
    }
    const archive = Archive.made(usual, async (into) => {
      await into.add('one.txt', ['one']);
      await into.add('two.txt', failing());
    });
    const pieces: Buffer[] = [];
    archive.on('data', (piece: Buffer) => pieces.push(piece));
    await expect(new Promise((_, reject) => archive.once('error', reject))).rejects.toThrow('the store is away');
    expect(() => zipFiles(Buffer.concat(pieces))).toThrow('the archive was cut');
  });

  it('ends the content of its files when it is destroyed', async () => {
    let [ended, added] = [false, false];
    async function* endless() {
      try {
        for (;;) {
          yield randomBytes(1_024);
          await sleep(1);
        }
      } finally {
        ended = true;
      }
    }
    const archive = Archive.made(usual, async (into) => {
      await into.add('endless', endless());
      added = true;
    });
    const closed = new Promise((resolve) => archive.once('close', resolve));
    archive.on('error', () => undefined); // its own end is one
    archive.once('data', () => archive.destroy());
    await closed;
    await sleep(50);
    expect([ended, added]).toEqual([true, false]);
  });

  it('is destroyed where it was not read in time', async () => {
    const archive = Archive.made({ ...usual, withinMs: 100 }, (into) =>
      into.add('large', content(64)).then(() => undefined),
    );
    await expect(new Promise((_, reject) => archive.once('error', reject))).rejects.toThrow('not read in time');
  });
});
