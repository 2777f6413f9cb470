/** Newest frames that are kept for readers that are about to join; older ones are read from the store. */
const framesMax = 1_000;
const bytesMax = 512 * 1024;
const keptMs = 30_000;

/** A frame of the feed with its place in the store. */
export interface PlacedFrame {
  readonly position: number;
  readonly bytes: Buffer;
}

/** The newest frames of the feed, without gaps, bounded in number, bytes and age. */
export class FrameWindow {
  private frames: (PlacedFrame & { readonly atMs: number })[] = [];
  private bytes = 0;

  /** @param after the position after which it has every frame */
  constructor(private after: number) {}

  push(frame: PlacedFrame, atMs: number): void {
    this.frames.push({ ...frame, atMs });
    this.bytes += frame.bytes.length;
    this.drop((_, index) => this.frames.length - index > framesMax || this.bytes > bytesMax);
  }

  /** The frames after a position; null where it does not have all of them any more. */
  from(position: number): PlacedFrame[] | null {
    return position < this.after ? null : this.frames.filter((frame) => frame.position > position);
  }

  /** Drops what is too old to be of use. */
  age(nowMs: number): void {
    this.drop(({ atMs }) => nowMs - atMs >= keptMs);
  }

  private drop(isToGo: (frame: { readonly atMs: number }, index: number) => boolean): void {
    let dropped = 0;
    for (const [index, frame] of this.frames.entries()) {
      if (!isToGo(frame, index)) break;
      this.bytes -= frame.bytes.length;
      this.after = frame.position;
      dropped += 1;
    }
    if (dropped > 0) this.frames = this.frames.slice(dropped);
  }
}
