import type { LookupFunction } from 'node:net';
import { isPublicAddress } from '../endpoint/public-addresses';
import type { Resolver } from './resolver';

/** The host has an address that must not be reached, because it is not on the public internet. */
export class AddressRefused extends Error {
  constructor(readonly host: string) {
    super(`${host} leads to an address that must not be reached`);
  }
}

/**
 * A lookup for `net.connect`, which connects to exactly the addresses returned here and never resolves again; so a name
 * that changes its addresses a moment later leads nowhere else. One refused address refuses the name. @throws
 * AddressRefused to the caller of `connect`
 */
export function guardedLookup(resolver: Resolver, isAllowed = isPublicAddress): LookupFunction {
  return (name, options, callback) => {
    resolver.resolve(name).then(
      (addresses) => {
        const [first] = addresses;
        if (first === undefined || !addresses.every(({ address }) => isAllowed(address)))
          return callback(new AddressRefused(name), []);
        return options.all === true ? callback(null, [...addresses]) : callback(null, first.address, first.family);
      },
      // Reason for the assertion: dns rejects with nothing else.
      (error: unknown) => callback(error as NodeJS.ErrnoException, []),
    );
  };
}
