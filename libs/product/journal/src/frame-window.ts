/** Readers join within this time, or read the store, so that a quiet stream keeps no frames in memory. Real time. */
const keptMs = 30_000;

/** An encoded event with its position in the stream. */
export interface PlacedFrame {
  readonly position: number;
  readonly bytes: Buffer;
}

type KeptFrame = PlacedFrame & { readonly atMs: number };

/**
 * The newest frames of a stream, without gaps, for readers that are about to join; older ones are read from the store. Bounded in
 * number, bytes and age.
 */
export class FrameWindow {
  private frames: KeptFrame[] = [];
  private bytes = 0;

  /** @param after the position after which it has every frame */
  constructor(
    private after: number,
    private readonly max: { readonly frames: number; readonly bytes: number },
  ) {}

  /** Adds the frame that follows the newest. */
  push({ position, bytes }: PlacedFrame, atMs: number): void {
    this.frames.push({ position, bytes, atMs });
    this.bytes += bytes.length;
    let dropped = 0;
    for (
      const { length } = this.frames;
      length - dropped > this.max.frames || this.bytes > this.max.bytes;
      dropped += 1
    )
      this.bytes -= this.frames[dropped]?.bytes.length ?? 0;
    this.drop(dropped);
  }

  /** Returns the frames after a position; null if some of them have been dropped. */
  from(position: number): PlacedFrame[] | null {
    return position < this.after
      ? null
      : this.frames.slice(this.frames.findLastIndex((frame) => frame.position <= position) + 1);
  }

  /** Drops frames that are too old to be of use. */
  age(nowMs: number): void {
    const fresh = this.frames.findIndex(({ atMs }) => nowMs - atMs < keptMs);
    this.drop(fresh === -1 ? this.frames.length : fresh);
    this.bytes = this.frames.reduce((sum, { bytes }) => sum + bytes.length, 0);
  }

  private drop(count: number): void {
    if (count === 0) return;
    this.after = this.frames[count - 1]?.position ?? this.after;
    this.frames = this.frames.slice(count);
  }
}

/** The bytes of some frames, in one piece. */
export function oneBuffer(frames: readonly { readonly bytes: Buffer }[]): Buffer {
  return frames.length === 1 && frames[0] !== undefined
    ? frames[0].bytes
    : Buffer.concat(frames.map(({ bytes }) => bytes));
}
