import { isIP, isIPv4 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { RateAnswer } from './ports';
import { RateWindow } from './rate-window';

/** By number, for each takes about 2.5 KB; where more of them fail in a minute, the one that failed longest ago is forgotten. */
const addressesMax = 10_000;

/**
 * Counts requests without a good partner key by the address that they come from, in this process (docs/decisions/conventions.md,
 * "Shares and quotas"). A request with a good key is never refused for what others did from its address.
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

  /** Whether the next failure from there is one too many. */
  isOver(request: FastifyRequest): boolean {
    const window = this.windows.get(countedAddress(request));
    return window !== undefined && window.usedAt(this.nowMs()) >= this.perMinute;
  }
}

/** The caller's address, as trusted proxies tell it (`TRUSTED_PROXIES`); of IPv6 the network of 64 bits, which one host can fill. */
function countedAddress({ ip, socket }: FastifyRequest): string {
  // A proxy may hand on anything that it was sent.
  const address = isIP(ip) === 0 ? (socket.remoteAddress ?? '') : ip;
  // As `::ffff:192.0.2.1`, where a socket takes both kinds.
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
