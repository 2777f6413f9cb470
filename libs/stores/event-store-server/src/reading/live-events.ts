import type { FramedEvent } from '../event';
import { LIVE_PIECE_BYTES_MAX } from '../limits';

/** A group of events that has just been committed, as sent to live subscribers. */
export class LiveEvents {
  /** Whether it may be sent at once to a subscriber that has room. */
  readonly isSmall: boolean;
  private joined: Buffer | undefined;

  constructor(readonly events: readonly FramedEvent[]) {
    let bytes = 0;
    for (const { frame } of events) bytes += frame.length;
    this.isSmall = bytes <= LIVE_PIECE_BYTES_MAX;
  }

  /** Whether it directly follows a position. */
  follows(position: number): boolean {
    return this.events[0]?.position === position + 1;
  }

  /** All frames as one piece, built once for all subscribers. */
  get frames(): Buffer {
    const [first, ...others] = this.events;
    if (first && others.length === 0) return first.frame;
    return (this.joined ??= Buffer.concat(this.events.map(({ frame }) => frame)));
  }

  get lastPosition(): number {
    return this.events.at(-1)?.position ?? 0;
  }
}
