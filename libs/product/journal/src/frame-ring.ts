/** Newest frames that a hub keeps for readers that are about to join; older ones are read from the store. */
const framesMax = 256;
const bytesMax = 128 * 1024;
/** A quiet conversation keeps no frames: they would only fill memory. */
const keptMs = 30_000;

interface KeptFrame {
  readonly bytes: Buffer;
  readonly atMs: number;
}

/** The newest frames of one conversation, without gaps, bounded in number, bytes and age. */
export class FrameRing {
  private frames: KeptFrame[] = [];
  private bytes = 0;

  /** @param last the revision after which the first frame comes */
  constructor(private last: number) {}

  /** Adds the frame of the next revision. */
  push(bytes: Buffer, atMs: number): void {
    this.frames.push({ bytes, atMs });
    this.last += 1;
    this.bytes += bytes.length;
    let dropped = 0;
    while (this.frames.length - dropped > framesMax || this.bytes > bytesMax) this.bytes -= this.sizeOf(dropped++);
    if (dropped > 0) this.frames = this.frames.slice(dropped);
  }

  /** The frames from a revision (inclusive) to the newest, or null when some of them are not kept any more. */
  from(revision: number): Buffer[] | null {
    const missing = this.last + 1 - revision;
    if (missing > this.frames.length) return null;
    return this.frames.slice(this.frames.length - missing).map((frame) => frame.bytes);
  }

  /** Drops what is too old to be of use. */
  age(nowMs: number): void {
    const fresh = this.frames.findIndex((frame) => nowMs - frame.atMs < keptMs);
    this.frames = fresh === -1 ? [] : this.frames.slice(fresh);
    this.bytes = this.frames.reduce((sum, frame) => sum + frame.bytes.length, 0);
  }

  private sizeOf(index: number): number {
    return this.frames[index]?.bytes.length ?? 0;
  }
}
