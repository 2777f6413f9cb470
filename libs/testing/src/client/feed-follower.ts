import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createParser } from 'eventsource-parser';

const reopenPauseMs = 20;

/** An event of the feed, as received. */
export interface ToldEvent {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Follows the feed as `EventSource` does: after each break it reconnects after the last id received. */
export class FeedFollower {
  /** Every event, over all connections, in the order of receipt. */
  readonly seen: ToldEvent[] = [];
  connections = 0;
  /** The status of the last answer. */
  status = 0;
  private lastId: string | undefined;
  private isOver = false;
  private cut: () => void = () => undefined;
  private readonly following: Promise<void>;

  /**
   * @param baseUrl the replica that the next connection goes to
   * @param bytesMax number of bytes after which a connection is broken, at whatever point that is; Infinity for never
   */
  constructor(
    private readonly baseUrl: () => string,
    private readonly partnerKey: string,
    private readonly bytesMax: () => number = () => Infinity,
    from?: string,
  ) {
    this.lastId = from;
    this.following = this.follow();
  }

  /** Breaks the current connection; the follower reconnects by itself. */
  disconnect(): void {
    this.cut();
  }

  async close(): Promise<void> {
    this.isOver = true;
    this.cut();
    await this.following;
  }

  private async follow(): Promise<void> {
    while (!this.isOver) {
      await this.connection();
      if (!this.isOver) await sleep(reopenPauseMs);
    }
  }

  private connection(): Promise<void> {
    this.connections += 1;
    const headers = { 'x-api-key': this.partnerKey, ...(this.lastId && { 'last-event-id': this.lastId }) };
    return new Promise((resolve) => {
      const request = get(`${this.baseUrl()}/feed/v1/stream`, { headers }, (response) => this.read(response, resolve));
      this.cut = () => request.destroy();
      // The replica is unavailable: try again.
      request.on('error', () => resolve());
    });
  }

  private read(response: IncomingMessage, over: () => void): void {
    this.status = response.statusCode ?? 0;
    const parser = createParser({ onEvent: ({ data }) => this.seen.push(JSON.parse(data) as ToldEvent) });
    let left = this.bytesMax();
    let unread = '';
    response.on('data', (chunk: Buffer) => {
      const taken = chunk.subarray(0, left);
      left -= taken.length;
      unread += taken.toString('latin1');
      const whole = unread.slice(0, unread.lastIndexOf('\n\n') + 2);
      unread = unread.slice(whole.length);
      parser.feed(Buffer.from(whole, 'latin1').toString('utf8'));
      // A frame with only an id counts as well; the parser does not report it.
      this.lastId =
        whole
          .match(/^id: (.*)$/gm)
          ?.at(-1)
          ?.slice('id: '.length) ?? this.lastId;
      if (left === 0) response.destroy();
    });
    response.on('error', () => undefined); // its close follows
    response.on('close', over);
  }
}
