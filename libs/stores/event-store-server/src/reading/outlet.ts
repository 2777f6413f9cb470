import type { ServerWritableStream } from '@grpc/grpc-js';
import type { Failure } from '../failure';
import { openWriter, type CallWriter } from '../wire/call-writer';
import { statusOf } from '../wire/errors';
import type { ReadRequest } from '@app/event-store-wire';

export type ReadCall = ServerWritableStream<ReadRequest, Buffer>;
export type Room = 'room' | 'stalled' | 'closed';

/** The client's end of a read: reports when its socket is full, and when the client is gone. */
export class Outlet {
  private gone = false;
  /** Opened by the first frame; a failure before it is answered by trailers alone. */
  private writer: CallWriter | undefined;
  private waiter: (() => void) | undefined;

  constructor(
    private readonly call: ReadCall,
    private readonly onClosed: () => void,
  ) {
    call.on('cancelled', () => this.close());
    call.on('close', () => this.close());
  }

  get closed(): boolean {
    return this.gone;
  }

  get hasRoom(): boolean {
    return !this.gone && !this.writer?.isFull;
  }

  /** Sends one frame or several. Check `hasRoom` before sending more, because unsent frames stay in memory. */
  send(frames: Buffer): void {
    if (this.gone) return;
    this.writer ??= openWriter(this.call, () => this.release());
    this.writer.write(frames);
  }

  /** Waits until there is room; with a limit, at most so long. One waiter at a time. */
  async room(limitMs?: number): Promise<Room> {
    if (!this.hasRoom && !this.gone) {
      await new Promise<void>((resolve) => {
        const timer = limitMs === undefined ? undefined : setTimeout(resolve, limitMs);
        this.waiter = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.waiter = undefined;
    }
    if (this.gone) return 'closed';
    return this.hasRoom ? 'room' : 'stalled';
  }

  end(failure?: Failure): void {
    if (this.gone) return;
    if (failure) this.call.emit('error', statusOf(failure));
    else this.call.end();
    this.close();
  }

  private release(): void {
    if (this.hasRoom) this.waiter?.();
  }

  private close(): void {
    if (this.gone) return;
    this.gone = true;
    this.waiter?.();
    this.onClosed();
  }
}
