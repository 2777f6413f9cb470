import fc from 'fast-check';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { openStream } from './open-stream';
import { sealStream } from './seal-stream';
import { fullBytesOf, headerBytes, plainBytesOf, sealedBytesOf, segmentsFor } from './segments';

const key = randomBytes(32);
const noise = randomBytes(300_000);
const firstBytes = plainBytesOf(0);
const nextBytes = plainBytesOf(1);
/** Lengths of one to five segments, often at their borders. */
const lengths = fc.oneof(
  fc.integer({ min: 1, max: 200 }),
  fc.integer({ min: 1, max: noise.length }),
  fc
    .record({ segments: fc.integer({ min: 0, max: 3 }), off: fc.integer({ min: -2, max: 2 }) })
    .map(({ segments, off }) => firstBytes + segments * nextBytes + off),
);
const plainOf = (length: number) => noise.subarray(0, length);

async function* pieces(bytes: Buffer, pieceBytes: number): AsyncGenerator<Buffer, void, undefined> {
  for (let at = 0; at < bytes.length; at += pieceBytes)
    yield await Promise.resolve(bytes.subarray(at, at + pieceBytes));
}

async function collected(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

const sealed = (plain: Buffer, pieceBytes = 64 * 1024) => collected(sealStream(key, pieces(plain, pieceBytes)));

/** Reads a file as a store would: the header, and the bytes of the segments that are in it. */
async function opened(
  file: Buffer,
  bytes: number,
  { range, pieceBytes = 64 * 1024, with: openKey = key }: Opening = {},
): Promise<Buffer> {
  const segments = segmentsFor(bytes, range);
  const content = Readable.from(pieces(file.subarray(segments.sealed.from, segments.sealed.to + 1), pieceBytes), {
    objectMode: false,
  });
  const part = { key: openKey, segments, header: file.subarray(0, headerBytes) };
  // Reason for the assertion: no encoding is set.
  return collected(openStream(content, part, () => new Error('damaged')) as AsyncIterable<Buffer>);
}
interface Opening {
  readonly range?: { readonly from: number; readonly to: number };
  readonly pieceBytes?: number;
  readonly with?: Buffer;
}

/** The segments of a file, without its header. */
function segmentsIn(file: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let at = headerBytes; at < file.length; at += fullBytesOf(found.length - 1))
    found.push(file.subarray(at, at + fullBytesOf(found.length)));
  return found;
}

describe('a sealed file', () => {
  it('opens to its plaintext, whatever its length and however it arrives', async () => {
    const piece = fc.integer({ min: 900, max: 140_000 });
    await fc.assert(
      fc.asyncProperty(lengths, piece, piece, async (length, one, other) => {
        const file = await sealed(plainOf(length), one);
        expect(file.length).toBe(sealedBytesOf(length));
        expect((await opened(file, length, { pieceBytes: other })).equals(plainOf(length))).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('opens in the same way where its header is read with it', async () => {
    for (const length of [1, firstBytes, firstBytes + 1, 200_000]) {
      const file = await sealed(plainOf(length));
      for (const pieceBytes of [13, 64 * 1024]) {
        const content = Readable.from(pieces(file, pieceBytes), { objectMode: false });
        const part = { key, segments: segmentsFor(length), header: null };
        // Reason for the assertion: no encoding is set.
        const plain = openStream(content, part, () => new Error('damaged')) as AsyncIterable<Buffer>;
        expect((await collected(plain)).equals(plainOf(length))).toBe(true);
      }
    }
  });

  it('opens to any range, from the segments of that range alone', async () => {
    const ranges = lengths.chain((length) =>
      fc.tuple(
        fc.constant(length),
        fc
          .integer({ min: 0, max: length - 1 })
          .chain((from) => fc.tuple(fc.constant(from), fc.integer({ min: from, max: length - 1 }))),
      ),
    );
    await fc.assert(
      fc.asyncProperty(ranges, async ([length, [from, to]]) => {
        const file = await sealed(plainOf(length));
        const { sealed: read } = segmentsFor(length, { from, to });
        const others = Buffer.concat([
          file.subarray(0, headerBytes),
          Buffer.alloc(read.from - headerBytes),
          file.subarray(read.from, read.to + 1),
          Buffer.alloc(file.length - read.to - 1),
        ]);
        const plain = await opened(others, length, { range: { from, to } });
        expect(plain.equals(plainOf(length).subarray(from, to + 1))).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  it('shows nothing of its plaintext, and no two are alike', async () => {
    const word = 'a marked word';
    const plain = Buffer.from(word.repeat(11_000));
    const [one, other] = [await sealed(plain), await sealed(plain)];
    const blocks = new Set(
      Array.from({ length: one.length / 16 }, (_, n) => one.subarray(16 * n, 16 * n + 16).toString('hex')),
    );
    expect(one.includes(word)).toBe(false);
    // The first 16 bytes have the name of the form.
    for (let at = 16; at + 16 <= other.length; at += 16)
      expect(blocks.has(other.subarray(at, at + 16).toString('hex'))).toBe(false);
  });

  it('opens under no other key', async () => {
    await expect(opened(await sealed(plainOf(100)), 100, { with: randomBytes(32) })).rejects.toThrow('damaged');
  });
});

describe('a sealed file that was altered', () => {
  it('does not open with any byte flipped', async () => {
    const small = await sealed(plainOf(100));
    for (let at = 0; at < small.length; at += 1)
      await expect(opened(flipped(small, at), 100)).rejects.toThrow('damaged');
    const length = 200_000;
    const file = await sealed(plainOf(length));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: file.length - 1 }), async (at) => {
        await expect(opened(flipped(file, at), length)).rejects.toThrow('damaged');
      }),
      { numRuns: 60 },
    );
  });

  it('does not open when it is cut, whatever its length is said to be', async () => {
    const [bytes, last] = [100, sealedBytesOf(100)];
    const small = await sealed(plainOf(bytes));
    for (let left = 0; left < last; left += 1) {
      await expect(opened(small.subarray(0, left), bytes)).rejects.toThrow('damaged');
      const said = left - sealedBytesOf(0);
      if (said > 0) await expect(opened(small.subarray(0, left), said)).rejects.toThrow('damaged');
    }
    // Cut after a whole segment, or within one.
    const length = 200_000;
    const file = await sealed(plainOf(length));
    for (const said of [firstBytes, firstBytes + nextBytes, firstBytes + 7, length - 1, length - 16]) {
      const cut = file.subarray(0, sealedBytesOf(said));
      for (const claimed of [said, length]) await expect(opened(cut, claimed)).rejects.toThrow('damaged');
    }
  });

  it('does not open when bytes were added', async () => {
    const file = await sealed(plainOf(firstBytes));
    const longer = Buffer.concat([file, file.subarray(headerBytes)]);
    await expect(opened(longer, 2 * firstBytes)).rejects.toThrow('damaged');
    const content = Readable.from([longer], { objectMode: false });
    const part = { key, segments: segmentsFor(firstBytes), header: null };
    await expect(openStream(content, part, () => new Error('damaged')).toArray()).rejects.toThrow('damaged');
  });

  it('does not open when segments were reordered, repeated, left out or taken from another file', async () => {
    const length = firstBytes + 3 * nextBytes;
    const [file, other] = [await sealed(plainOf(length)), await sealed(plainOf(length))];
    const [first, second, third, fourth] = segmentsIn(file) as [Buffer, Buffer, Buffer, Buffer]; // reason: it has four
    const header = file.subarray(0, headerBytes);
    const arranged: [Buffer[], number][] = [
      [[first, third, second, fourth], length],
      [[first, second, fourth, third], length],
      [[first, second, second, fourth], length],
      [[first, second, fourth], length - nextBytes],
      [[first, third, fourth], length - nextBytes],
      [[first, second, third], length - nextBytes],
      [[first, second, segmentsIn(other)[2] ?? first, fourth], length],
    ];
    for (const [segments, bytes] of arranged)
      await expect(opened(Buffer.concat([header, ...segments]), bytes)).rejects.toThrow('damaged');
    expect((await opened(Buffer.concat([header, first, second, third, fourth]), length)).equals(plainOf(length))).toBe(
      true,
    );
  });
});

function flipped(file: Buffer, at: number): Buffer {
  const changed = Buffer.from(file);
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
}
