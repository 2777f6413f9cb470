import type { LookupAddress } from 'node:dns';
import net, { type Socket } from 'node:net';

/** The next address is tried after this time, while earlier attempts go on (RFC 8305, "Connection Attempt Delay"). */
const nextAfterMs = 250;
/** As many addresses as one delivery has time for; a name server may answer more. */
const addressesMax = 60;

/** A connection to any of several addresses. */
export interface Attempts {
  /** The addresses to try, each of which must be allowed. Nothing is resolved again. */
  readonly resolve: () => Promise<readonly LookupAddress[]>;
  readonly port: number;
  /** Timeout of the socket, as `net.connect` takes it. */
  readonly idleMs?: number | undefined;
  /** Ends all attempts. */
  readonly signal: AbortSignal;
}

/**
 * Connects to the first address that accepts. Attempts overlap, so that dead addresses cost 250 ms each instead of a timeout each: Node's
 * own `autoSelectFamily` ends each attempt before it begins the next.
 * @throws the error of the only address, an AggregateError of those of several, that of `resolve`, or the reason of the signal
 */
export async function connectToFirst(attempts: Attempts): Promise<Socket> {
  const addresses = interleaved(await attempts.resolve()).slice(0, addressesMax);
  attempts.signal.throwIfAborted();
  return new Promise((accept, reject) => new Race(addresses, attempts, accept, reject).tryNext());
}

/** Overlapping attempts to connect, of which the first that succeeds ends the others. */
class Race {
  private readonly connecting = new Set<Socket>();
  private readonly errors: Error[] = [];
  private readonly onAbort = (): void => {
    this.end();
    this.reject(this.attempts.signal.reason);
  };
  private next: NodeJS.Timeout | undefined;

  constructor(
    private readonly addresses: LookupAddress[],
    private readonly attempts: Attempts,
    private readonly accept: (socket: Socket) => void,
    private readonly reject: (error: unknown) => void,
  ) {
    attempts.signal.addEventListener('abort', this.onAbort, { once: true });
  }

  /** Begins the next attempt, and those after it in time, until one succeeds or all have failed. */
  tryNext(): void {
    clearTimeout(this.next);
    const to = this.addresses.shift();
    if (to === undefined) return this.connecting.size === 0 ? this.lose() : undefined;
    const socket = net.connect({ host: to.address, port: this.attempts.port, family: to.family, noDelay: true });
    this.connecting.add(socket);
    const fail = (error: Error): void => {
      this.errors.push(error);
      this.connecting.delete(socket);
      this.tryNext();
    };
    socket.once('error', fail).once('connect', () => {
      socket.off('error', fail);
      this.win(socket);
    });
    this.next = setTimeout(() => this.tryNext(), nextAfterMs);
  }

  private win(socket: Socket): void {
    this.connecting.delete(socket);
    this.end();
    const { idleMs } = this.attempts;
    if (idleMs !== undefined) socket.setTimeout(idleMs);
    this.accept(socket);
  }

  private lose(): void {
    this.end();
    const [first, ...others] = this.errors;
    this.reject(first !== undefined && others.length === 0 ? first : new AggregateError(this.errors));
  }

  private end(): void {
    clearTimeout(this.next);
    this.attempts.signal.removeEventListener('abort', this.onAbort);
    for (const socket of this.connecting) socket.destroy();
  }
}

/** Alternates the families, beginning with that of the first address: one of them often leads nowhere. */
function interleaved(addresses: readonly LookupAddress[]): LookupAddress[] {
  const first = addresses.filter(({ family }) => family === addresses[0]?.family);
  const other = addresses.filter((address) => !first.includes(address));
  return Array.from({ length: addresses.length }, (_, index) => [first[index], other[index]])
    .flat()
    .filter((address) => address !== undefined);
}
