import { FrameWindow, type PlacedFrame } from './frame-window';

const frame = (position: number, bytes = Buffer.from(String(position))): PlacedFrame => ({ position, bytes });
const max = { frames: 256, bytes: 128 * 1024 };
const texts = (frames: readonly PlacedFrame[] | null) => frames?.map(({ bytes }) => String(bytes)) ?? null;

describe('a window of frames', () => {
  it('gives the frames after a position, or null when some are missing', () => {
    const window = new FrameWindow(4, max);
    expect(window.from(4)).toEqual([]);
    expect(window.from(3)).toBeNull();
    window.push(frame(5), 0);
    window.push(frame(6), 0);
    expect(texts(window.from(4))).toEqual(['5', '6']);
    expect(texts(window.from(5))).toEqual(['6']);
    expect(window.from(6)).toEqual([]);
    expect(window.from(3)).toBeNull();
  });

  it('needs no position for each number', () => {
    const window = new FrameWindow(100, max);
    window.push(frame(250), 0);
    window.push(frame(900), 0);
    expect(texts(window.from(100))).toEqual(['250', '900']);
    expect(texts(window.from(250))).toEqual(['900']);
    expect(texts(window.from(600))).toEqual(['900']);
    expect(window.from(99)).toBeNull();
  });

  it('keeps a bounded number of frames, and of bytes', () => {
    const window = new FrameWindow(-1, max);
    for (let position = 0; position < 1_000; position += 1) window.push(frame(position), 0);
    expect(window.from(999 - 256)).toHaveLength(256);
    expect(window.from(999 - 257)).toBeNull();
    for (let position = 1_000; position < 1_010; position += 1)
      window.push(frame(position, Buffer.alloc(60 * 1024)), 0);
    expect(window.from(1_007)).toHaveLength(2);
    expect(window.from(1_006)).toBeNull();
    window.push(frame(1_010, Buffer.alloc(1024 * 1024)), 0);
    expect(window.from(1_010)).toEqual([]);
    expect(window.from(1_009)).toBeNull();
  });

  it('forgets frames that are old', () => {
    const window = new FrameWindow(-1, max);
    window.push(frame(0), 0);
    window.push(frame(1), 20_000);
    window.age(29_000);
    expect(texts(window.from(-1))).toEqual(['0', '1']);
    window.age(31_000);
    expect(window.from(-1)).toBeNull();
    expect(texts(window.from(0))).toEqual(['1']);
    window.age(60_000);
    expect(window.from(0)).toBeNull();
    window.push(frame(2), 60_000);
    expect(texts(window.from(1))).toEqual(['2']);
  });
});
