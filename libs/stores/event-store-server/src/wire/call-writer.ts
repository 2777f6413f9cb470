/**
 * Writes the answers of a streaming call. grpc-js takes each message through a stream of objects, filters, a copy with a prefix, and a
 * callback, which is most of what an event costs for one more subscriber. Frames that are built once go to the HTTP/2 stream behind the
 * call instead. Status and trailers stay with grpc-js, and so does everything when that stream is not where it is expected.
 */
import type { ServerHttp2Stream } from 'node:http2';
import { Duplex } from 'node:stream';
import { PREFIX_BYTES, messagesIn } from '@app/event-store-wire';
import { Metadata, type ServerDuplexStream, type ServerWritableStream } from '@grpc/grpc-js';
import { UNFLUSHED_FRAME_BYTES_MAX, UNSENT_BYTES_MAX } from '../limits';

export type StreamingCall = ServerWritableStream<unknown, Buffer> | ServerDuplexStream<unknown, Buffer>;

export interface CallWriter {
  /** Writes one whole frame or several. Check `isFull` afterwards, because unsent frames stay in memory. */
  write(frames: Buffer): void;
  readonly isFull: boolean;
}

/**
 * Sends the headers, and returns the writer for the frames after them.
 * @param onRoom called when it may no longer be full
 */
export function openWriter(call: StreamingCall, onRoom: () => void): CallWriter {
  call.sendMetadata(new Metadata());
  const stream = http2StreamOf(call);
  return stream ? new DirectWriter(stream, onRoom) : new OfficialWriter(call, onRoom);
}

/** The stream on which grpc-js has just sent the headers of the call; undefined when it is kept elsewhere, as behind interceptors. */
function http2StreamOf(call: StreamingCall): ServerHttp2Stream | undefined {
  const stream = memberOf(memberOf(call, 'call'), 'stream');
  const isOfCall = stream instanceof Duplex && memberOf(stream, 'headersSent') === true && !stream.writableObjectMode;
  // `as`: only a stream of HTTP/2 has sent headers.
  return isOfCall ? (stream as ServerHttp2Stream) : undefined;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** Sends everything written in one turn of the event loop to HTTP/2 at once. */
class DirectWriter implements CallWriter {
  private gathering = false;

  constructor(
    private readonly stream: ServerHttp2Stream,
    onRoom: () => void,
  ) {
    stream.on('drain', onRoom);
  }

  get isFull(): boolean {
    return this.stream.writableNeedDrain && this.stream.writableLength >= UNSENT_BYTES_MAX;
  }

  write(frames: Buffer): void {
    const { stream } = this;
    // A stream that is over reports it to grpc-js, which cancels the call.
    if (stream.destroyed || stream.closed || stream.writableEnded) return;
    if (!this.gathering) {
      this.gathering = true;
      stream.cork();
      process.nextTick(() => {
        this.gathering = false;
        stream.uncork();
      });
    }
    stream.write(frames);
  }
}

class OfficialWriter implements CallWriter {
  private unflushed = 0;

  constructor(
    private readonly call: StreamingCall,
    private readonly onRoom: () => void,
  ) {
    call.on('drain', onRoom);
  }

  get isFull(): boolean {
    return this.call.writableNeedDrain || this.unflushed > 0;
  }

  write(frames: Buffer): void {
    for (const message of messagesIn(frames)) {
      if (message.length + PREFIX_BYTES <= UNFLUSHED_FRAME_BYTES_MAX) this.call.write(message);
      else {
        this.unflushed++;
        this.call.write(message, () => {
          this.unflushed--;
          this.onRoom();
        });
      }
    }
  }
}
