import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/**
 * The share of connections that are cut in the direction of the service; the others are cut in the direction of the
 * client.
 */
const upwardShare = 0.3;
/** The share of the latter that are cut before the first byte of an answer. */
const unansweredShare = 0.2;
/** The share of connections on which every part is delayed, and the longest delay. */
const delayedShare = 0.15;
const delayMaxMs = 8;
const resetShare = 0.5;

export interface CuttingProxyOptions {
  /** The same seed makes the same cuts, if connections are opened in the same order. */
  readonly seed: number;
  /** Maximum number of bytes before a cut, in the direction that is cut. Default 2,000 and 4,000. */
  readonly upBytesMax?: number;
  readonly downBytesMax?: number;
}

/** The cuts that the proxy made. */
export interface Cuts {
  connections: number;
  /** In the direction of the service. */
  up: number;
  /** After the request, before the first byte of its answer. */
  beforeAnswer: number;
  /** In the middle of an answer. */
  inAnswer: number;
}

/** The planned end of one connection: after this many bytes in one direction. */
interface Fate {
  readonly direction: 'up' | 'down';
  readonly bytes: number;
  readonly delayMs: number;
  readonly isReset: boolean;
}

/**
 * A TCP proxy in front of one service, which breaks every connection at some byte, in one direction or the other.
 *
 * Source: RFC 9293, section 3.5.2 (a reset is possible at any byte), and RFC 9112, section 8 (the client's view of it).
 */
export class CuttingProxy {
  readonly cuts: Cuts = { connections: 0, up: 0, beforeAnswer: 0, inAnswer: 0 };
  /** If false, newly opened connections are not cut. */
  cutting = true;
  private readonly open = new Set<Socket>();
  private readonly random: () => number;

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
    private readonly options: CuttingProxyOptions,
  ) {
    this.random = seeded(options.seed);
    server.on('connection', (client) => this.serve(client));
  }

  static async start(targetUrl: string, options: CuttingProxyOptions): Promise<CuttingProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new CuttingProxy(server, new URL(targetUrl), options);
  }

  get baseUrl(): string {
    // Reason for the assertion: a listening TCP server has an address and a port.
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get total(): number {
    return this.cuts.up + this.cuts.beforeAnswer + this.cuts.inAnswer;
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    for (const socket of this.open) socket.destroy();
    await closed;
  }

  private serve(client: Socket): void {
    this.cuts.connections += 1;
    const service = connect(Number(this.target.port), this.target.hostname);
    const fate = this.nextFate();
    let hasAnswer = false;
    const cut = (): void => {
      if (client.destroyed) return;
      this.cuts[fate.direction === 'up' ? 'up' : hasAnswer ? 'inAnswer' : 'beforeAnswer'] += 1;
      // A reset, or an end as if the data were complete.
      if (fate.isReset) client.resetAndDestroy();
      else client.destroy();
      service.destroy();
    };
    for (const [own, other] of [
      [client, service],
      [service, client],
    ] as const) {
      this.open.add(own);
      own.setNoDelay(true);
      // Broken: the other side is notified by `close`.
      own.on('error', () => undefined);
      own.on('end', () => other.end());
      own.on('close', () => {
        this.open.delete(own);
        other.destroy();
      });
    }
    forward(client, service, fate.direction === 'up' ? fate : { ...fate, bytes: Infinity }, cut);
    service.once('data', () => {
      hasAnswer = fate.direction === 'down' && fate.bytes > 0;
    });
    forward(service, client, fate.direction === 'down' ? fate : { ...fate, bytes: Infinity }, cut);
  }

  private nextFate(): Fate {
    const { upBytesMax = 2_000, downBytesMax = 4_000 } = this.options;
    const direction = this.random() < upwardShare ? 'up' : 'down';
    const most = direction === 'up' ? upBytesMax : downBytesMax;
    const isUnanswered = direction === 'down' && this.random() < unansweredShare;
    const bytes = isUnanswered ? 0 : 1 + Math.floor(this.random() * most);
    const delayMs = this.random() < delayedShare ? this.random() * delayMaxMs : 0;
    const isReset = this.random() < resetShare;
    return { direction, bytes: this.cutting ? bytes : Infinity, delayMs, isReset };
  }
}

/** Forwards data only as fast as it is read, up to the planned byte. */
function forward(from: Socket, to: Socket, { bytes, delayMs }: Pick<Fate, 'bytes' | 'delayMs'>, cut: () => void): void {
  let left = bytes;
  const pass = (chunk: Buffer): void => {
    const part = chunk.subarray(0, Math.min(left, chunk.length));
    const isLast = part.length < chunk.length || part.length === left;
    left -= part.length;
    if (to.destroyed) return;
    if (isLast) to.write(part, cut);
    else if (to.write(part)) from.resume();
    else to.once('drain', () => from.resume());
  };
  from.on('data', (chunk) => {
    from.pause();
    if (delayMs === 0) pass(chunk);
    else setTimeout(() => pass(chunk), delayMs);
  });
}

/** Returns a generator of numbers in [0, 1) that are the same for a seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
