import { lookup, promises, type LookupAddress } from 'node:dns';

/** Two tries per query, the second with a longer timeout: about 6 s in all. Real time. */
const asking = { timeout: 2_000, tries: 2 } as const;

/** Resolves a name to all its addresses, as `dns.lookup` does with `all`. */
export abstract class Resolver {
  abstract resolve(name: string): Promise<readonly LookupAddress[]>;
}

/**
 * Queries the name servers itself, and the system (hosts file, other sources) for names that they do not know. The
 * system resolves only a few names at a time per process: names with silent servers would delay every other endpoint,
 * and every other connection by name.
 */
export class NameServers extends Resolver {
  private readonly resolver = new promises.Resolver(asking);

  /** @param servers addresses with ports; default: those of the system */
  constructor(servers?: readonly string[]) {
    super();
    if (servers !== undefined) this.resolver.setServers(servers);
  }

  /** @throws the error of dns: `ETIMEOUT` if a server is silent */
  async resolve(name: string): Promise<readonly LookupAddress[]> {
    if (!name.includes('.')) return bySystem(name);
    const [v4, v6] = await Promise.allSettled([this.resolver.resolve4(name), this.resolver.resolve6(name)]);
    const found = [...addressesOf(v4, 4), ...addressesOf(v6, 6)];
    if (found.length > 0) return found;
    for (const asked of [v4, v6]) if (asked.status === 'rejected' && isSilence(asked.reason)) throw asked.reason;
    return bySystem(name);
  }
}

function addressesOf(asked: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] {
  return asked.status === 'fulfilled' ? asked.value.map((address) => ({ address, family })) : [];
}

function isSilence(reason: unknown): boolean {
  return typeof reason === 'object' && reason !== null && 'code' in reason && reason.code === promises.TIMEOUT;
}

function bySystem(name: string): Promise<readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    lookup(name, { all: true }, (error, addresses) => (error === null ? resolve(addresses) : reject(error)));
  });
}
