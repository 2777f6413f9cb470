import { isIP, isIPv4 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { RateAnswer } from '../ports';
import { RateWindow } from '../rate-limits/rate-window';

/** Maximum number of addresses, each of which takes about 2.5 KB; beyond it, the one whose last failure is oldest is dropped. */
const addressesMax = 10_000;

/**
 * Counts requests without a good partner key by their source address, in this process (docs/decisions/conventions.md, "Shares and quotas").
 * A request with a good key is never refused because of other requests from its address.
 */
export class KeyFailures {
  private readonly windows = new LRUCache<string, RateWindow>({ max: addressesMax });

  /** @param nowMs monotonic, in milliseconds */
  constructor(
    private readonly perMinute: number,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** Counts a failure, unless the address has failed too often already. */
  count(request: FastifyRequest): RateAnswer {
    const address = countedAddress(request);
    const window = this.windows.get(address) ?? new RateWindow();
    this.windows.set(address, window);
    return window.consume({ limit: this.perMinute }, this.nowMs());
  }

  /** Whether the next failure of this address exceeds the limit. */
  isOver(request: FastifyRequest): boolean {
    const window = this.windows.get(countedAddress(request));
    return window !== undefined && window.usedAt(this.nowMs()) >= this.perMinute;
  }
}

/** The caller's address, as trusted proxies report it (`TRUSTED_PROXIES`); for IPv6 the network of 64 bits, which one host can fill. */
function countedAddress({ ip, socket }: FastifyRequest): string {
  // A proxy may pass on any text that it received.
  const address = isIP(ip) === 0 ? (socket.remoteAddress ?? '') : ip;
  // `::ffff:192.0.2.1`, on a socket of both families.
  const mapped = address.slice(address.lastIndexOf(':') + 1);
  if (isIPv4(mapped)) return mapped;
  const [left = '', right] = address.replace(/%.*$/, '').toLowerCase().split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const zeros = right === undefined ? 0 : 8 - groups(left).length - groups(right).length;
  const all = [...groups(left), ...Array.from({ length: zeros }, () => '0'), ...groups(right ?? '')];
  return all
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}
