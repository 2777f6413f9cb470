import type { EventSourceMessage } from 'eventsource-parser';
import { GarbledStream, parseJson } from './frames.js';
import type { Followed, FollowOptions } from './stream.js';
import type { JournalFrame } from './types.js';

export interface StreamOptions extends FollowOptions {
  readonly userId: string;
  readonly conversationId: string;
  /** Begin strictly after this `seq`, such as a conversation's `lastSeq`. Default 0: the beginning. */
  readonly after?: number;
}

/** One conversation's journal, and the position up to which it was read: each durable frame once, without a gap. */
export class FollowedJournal implements Followed<JournalFrame> {
  readonly forUser = true;
  readonly url: string;
  private after: number;

  constructor(baseUrl: string, { userId, conversationId, after = 0 }: StreamOptions) {
    const [user, conversation] = [userId, conversationId].map(encodeURIComponent);
    this.url = `${baseUrl}/v1/users/${user}/conversations/${conversation}/stream`;
    this.after = after;
  }

  get place(): string {
    return String(this.after);
  }

  take({ data }: EventSourceMessage): JournalFrame | null {
    const frame = frameOf(data);
    return frame.delivery === 'durable' && !this.isNext(frame.seq) ? null : frame;
  }

  /** Whether a durable frame is new. Throws GarbledStream when frames before it are missing. */
  private isNext(seq: number): boolean {
    if (seq <= this.after) return false;
    if (seq !== this.after + 1) throw new GarbledStream(`${seq} came after ${this.after}`);
    this.after = seq;
    return true;
  }
}

function frameOf(data: string): JournalFrame {
  const frame = parseJson(data);
  if (typeof frame !== 'object' || frame === null || !('payload' in frame)) throw new GarbledStream('no journal frame');
  const { payload } = frame;
  const isTyped =
    typeof payload === 'object' && payload !== null && 'type' in payload && typeof payload.type === 'string';
  const delivery = 'delivery' in frame ? frame.delivery : undefined;
  const isNumbered = 'seq' in frame && Number.isSafeInteger(frame.seq);
  if (!isTyped || !(delivery === 'live' || (delivery === 'durable' && isNumbered))) {
    throw new GarbledStream('no journal frame');
  }
  // Reason for the assertion: `delivery` and `type` distinguish the frames; the service's contract defines their other
  // members.
  return frame as JournalFrame;
}
