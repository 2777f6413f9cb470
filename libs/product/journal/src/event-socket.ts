import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Bytes that may wait for one reader; a reader with more cannot keep up, and is cut. */
const bufferedBytesMax = 1024 * 1024;
/** A reader that takes nothing at all for this long during its replay is cut as well. */
const stalledMs = 60_000;
/** How long an ended stream's last bytes may take to reach the reader. */
const endGraceMs = 2_000;

/** The destination of one reader's frames. */
export interface FrameSink {
  /** Position of the last frame that it got, or after which it began. */
  after: number;
  readonly closed: boolean;
  /** Takes the bytes, or cuts the reader when too many wait for it already. */
  write(bytes: Buffer): void;
  /** Ends the stream after the frames that were written; the client reconnects by itself. */
  end(): void;
  /** Resolves once the written bytes have left, or the reader is gone; the reader is cut when that takes too long. */
  waitForDrain(): Promise<void>;
}

/**
 * One open SSE response: frames are written in order through a bounded buffer. The body ends with the connection (RFC 9112, section 6.3),
 * so a frame needs no HTTP framing, and the same bytes go straight to every reader's socket.
 */
export class EventSocket implements FrameSink {
  private readonly onClosed: (() => void)[] = [];
  private wake: (() => void) | null = null;
  private ended = false;

  /**
   * @param response its head is written, without a transfer encoding
   * @param socket the response's
   * @param after the position after which the reader begins
   */
  constructor(
    private readonly response: ServerResponse,
    private readonly socket: Socket,
    public after: number,
    private readonly onCut: () => void,
  ) {
    socket.on('drain', () => this.wake?.());
    response.on('close', () => this.close());
    // A failure on the connection to a client shows as `close`; without a listener it would end the process.
    response.on('error', () => response.destroy());
  }

  get closed(): boolean {
    return this.ended || this.socket.destroyed;
  }

  /** Calls back once, when the reader is gone or the stream has ended. */
  whenClosed(callback: () => void): void {
    this.onClosed.push(callback);
  }

  write(bytes: Buffer): void {
    if (this.closed) return;
    if (this.socket.writableLength > bufferedBytesMax) return this.cut();
    this.socket.write(bytes);
  }

  async waitForDrain(): Promise<void> {
    if (this.closed || !this.socket.writableNeedDrain) return;
    const stalled = setTimeout(() => this.cut(), stalledMs).unref();
    await new Promise<void>((resolve) => (this.wake = resolve));
    this.wake = null;
    clearTimeout(stalled);
  }

  end(): void {
    if (this.closed) return;
    this.ended = true;
    this.response.end();
    const late = setTimeout(() => this.socket.destroy(), endGraceMs).unref();
    this.response.on('close', () => clearTimeout(late));
    this.wake?.();
  }

  private cut(): void {
    this.onCut();
    // Not `end`, which would wait for a reader that does not read.
    this.socket.destroy();
  }

  private close(): void {
    this.ended = true;
    this.wake?.();
    for (const callback of this.onClosed.splice(0)) callback();
  }
}
