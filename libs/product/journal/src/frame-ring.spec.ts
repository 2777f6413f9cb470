import { FrameRing } from './frame-ring';

const frame = (text: string) => Buffer.from(text);
const texts = (frames: Buffer[] | null) => frames?.map(String) ?? null;

describe('a frame ring', () => {
  it('gives the frames from a revision on, or null when some are missing', () => {
    const ring = new FrameRing(4);
    expect(ring.from(5)).toEqual([]);
    expect(ring.from(4)).toBeNull();
    ring.push(frame('5'), 0);
    ring.push(frame('6'), 0);
    expect(texts(ring.from(5))).toEqual(['5', '6']);
    expect(texts(ring.from(6))).toEqual(['6']);
    expect(ring.from(7)).toEqual([]);
    expect(ring.from(4)).toBeNull();
  });

  it('keeps a bounded number of frames, and of bytes', () => {
    const ring = new FrameRing(-1);
    for (let revision = 0; revision < 1_000; revision += 1) ring.push(frame(String(revision)), 0);
    expect(ring.from(1_000 - 256)).toHaveLength(256);
    expect(ring.from(1_000 - 257)).toBeNull();
    for (let revision = 1_000; revision < 1_010; revision += 1) ring.push(Buffer.alloc(60 * 1024), 0);
    expect(ring.from(1_008)).toHaveLength(2);
    expect(ring.from(1_007)).toBeNull();
    ring.push(Buffer.alloc(1024 * 1024), 0);
    expect(ring.from(1_011)).toEqual([]);
    expect(ring.from(1_010)).toBeNull();
  });

  it('forgets frames that are old', () => {
    const ring = new FrameRing(-1);
    ring.push(frame('0'), 0);
    ring.push(frame('1'), 20_000);
    ring.age(29_000);
    expect(texts(ring.from(0))).toEqual(['0', '1']);
    ring.age(31_000);
    expect(ring.from(0)).toBeNull();
    expect(texts(ring.from(1))).toEqual(['1']);
    ring.age(60_000);
    expect(ring.from(1)).toBeNull();
    ring.push(frame('2'), 60_000);
    expect(texts(ring.from(2))).toEqual(['2']);
  });
});
