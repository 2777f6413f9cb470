/** Both ways to write answers give a client the same bytes, respect its flow control alike, and leave the end of a call to grpc-js. */
import { once } from 'node:events';
import { connect, constants, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import { framed, messagesIn } from '@app/event-store-wire';
import {
  Server,
  ServerCredentials,
  ServerInterceptingCall,
  status,
  type ServerInterceptor,
  type ServerWritableStream,
} from '@grpc/grpc-js';
import { UNFLUSHED_FRAME_BYTES_MAX, UNSENT_BYTES_MAX } from '../limits';
import { openWriter } from './call-writer';

type Call = ServerWritableStream<Buffer, Buffer>;

const KIB = 1024;
/** Bytes that HTTP/2 accepts for a stream before its reader has read any. */
const WINDOW_BYTES = 64 * KIB;
const asIs = (bytes: Buffer): Buffer => bytes;
const passing: ServerInterceptor = (_, call) => new ServerInterceptingCall(call);

/** Frames of one message, of several, including an empty one, and of a large one. */
const PIECES: readonly Buffer[] = [
  framed(Buffer.from('first')),
  Buffer.concat([framed(Buffer.from('second')), framed(Buffer.alloc(0)), framed(Buffer.from('third'))]),
  Buffer.alloc(0),
  framed(Buffer.alloc(UNFLUSHED_FRAME_BYTES_MAX + 1, 'x')),
  framed(Buffer.from('last')),
];

describe.each([
  { way: 'to the stream itself', interceptors: [], isDirect: true },
  { way: 'by grpc-js, where the stream is out of sight', interceptors: [passing], isDirect: false },
])('$way', ({ interceptors, isDirect }) => {
  let server: Server;
  let session: ClientHttp2Session;
  let serve: (call: Call) => void;
  let official = 0;
  beforeEach(async () => {
    server = new Server({ interceptors });
    server.addService(
      {
        read: {
          path: '/test/Read',
          requestStream: false,
          responseStream: true,
          requestSerialize: asIs,
          requestDeserialize: asIs,
          responseSerialize: asIs,
          responseDeserialize: asIs,
        },
      },
      {
        read: (call: Call) => {
          const write = call.write.bind(call);
          // `as`: one of the overloads is called.
          call.write = ((...given: Parameters<typeof write>) => {
            official++;
            return write(...given);
          }) as typeof call.write;
          serve(call);
        },
      },
    );
    const port = await new Promise<number>((resolve, reject) => {
      const bound = (error: Error | null, free: number): void => (error ? reject(error) : resolve(free));
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), bound);
    });
    session = connect(`http://127.0.0.1:${port}`);
    official = 0;
  });
  afterEach(() => {
    session.destroy();
    server.forceShutdown();
  });

  function open(): ClientHttp2Stream {
    const headers = { ':method': 'POST', ':path': '/test/Read', 'content-type': 'application/grpc', te: 'trailers' };
    return session.request(headers).end(framed(Buffer.alloc(0)));
  }

  /** Everything received from a call, and the status that ends it. */
  async function taken(call: ClientHttp2Stream): Promise<{ bytes: Buffer; code: number }> {
    const chunks: Buffer[] = [];
    call.on('data', (chunk: Buffer) => chunks.push(chunk));
    // `as`: the arguments that http2 passes to listeners for trailers.
    const [trailers] = (await once(call, 'trailers')) as [Record<string, string>];
    return { bytes: Buffer.concat(chunks), code: Number(trailers['grpc-status']) };
  }

  test('the same bytes, and then the status', async () => {
    serve = (call) => {
      const writer = openWriter(call, () => undefined);
      for (const piece of PIECES) writer.write(piece);
      call.end();
    };
    const bytes = Buffer.concat(PIECES);
    expect(await taken(open())).toEqual({ bytes, code: status.OK });
    expect(official).toBe(isDirect ? 0 : messagesIn(bytes).length);
  });

  test('a failure comes behind what was written', async () => {
    serve = (call) => {
      openWriter(call, () => undefined).write(framed(Buffer.from('first')));
      call.emit('error', { code: status.ABORTED, details: 'too slow' });
    };
    expect(await taken(open())).toEqual({ bytes: framed(Buffer.from('first')), code: status.ABORTED });
  });

  test('a reader that stalls is waited for, and gets all of it when it goes on', async () => {
    const piece = framed(Buffer.alloc(KIB, 'x'));
    const wanted = 1_000;
    let sent = 0;
    const filled = new Promise<number>((resolve) => {
      serve = (call) => {
        const fill = (): void => {
          for (; sent < wanted && !writer.isFull; sent++) writer.write(piece);
          if (sent === wanted) call.end();
          else resolve(sent * piece.length);
        };
        const writer = openWriter(call, fill);
        fill();
      };
    });
    const call = open();
    await once(call, 'response');
    expect(await filled).toBeLessThanOrEqual(UNSENT_BYTES_MAX + WINDOW_BYTES + piece.length);
    const { bytes, code } = await taken(call);
    expect([bytes.equals(Buffer.concat(new Array<Buffer>(wanted).fill(piece))), code]).toEqual([true, status.OK]);
  });

  test('a client that leaves cancels the call, and what is written then goes nowhere', async () => {
    const cancelled = new Promise<ReturnType<typeof openWriter>>((resolve) => {
      serve = (call) => {
        const writer = openWriter(call, () => undefined);
        writer.write(framed(Buffer.from('first')));
        call.on('cancelled', () => resolve(writer));
      };
    });
    const call = open();
    await once(call, 'data');
    call.close(constants.NGHTTP2_CANCEL);
    const writer = await cancelled;
    for (const piece of PIECES) writer.write(piece);
    serve = (other) => {
      openWriter(other, () => undefined).write(framed(Buffer.from('next')));
      other.end();
    };
    expect((await taken(open())).bytes).toEqual(framed(Buffer.from('next')));
  });
});
