import http, { type ClientRequestArgs } from 'node:http';
import https, { type RequestOptions } from 'node:https';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { connectToFirst, type Attempts } from './connect-to-first';

/** Options of a request through these agents. A request's own `signal` does not reach its agent. */
export interface RacingOptions extends RequestOptions {
  /** Ends the attempts to connect; required. */
  readonly attemptsEnd: AbortSignal;
}

type Created = (error: Error | null, socket: Duplex) => void;

/** Connects to the first address of a host that accepts, instead of to one after the other. */
export class RacingHttpAgent extends http.Agent {
  override createConnection(options: ClientRequestArgs, callback: Created = () => undefined): undefined {
    createdBy(attemptsOf(options), callback, (socket) => socket);
  }
}

/** As `RacingHttpAgent`, with TLS over the connection. */
export class RacingHttpsAgent extends https.Agent {
  override createConnection(options: RequestOptions, callback: Created = () => undefined): undefined {
    createdBy(attemptsOf(options), callback, (socket) => {
      // Reason for the assertion: the options of `tls.connect`, which receives them, include a socket; their type here does not.
      const secure = super.createConnection({ ...options, socket } as RequestOptions);
      if (secure == null) throw new Error('TLS has no socket');
      return secure;
    });
  }
}

function createdBy(attempts: Attempts, callback: Created, over: (socket: Duplex) => Duplex): void {
  connectToFirst(attempts)
    .then(over)
    .then(
      (socket) => callback(null, socket),
      // Reason for the assertions: connecting rejects with nothing but errors, and Node's types ask for a socket next to one.
      (error: unknown) => callback(error as Error, undefined as never),
    );
}

function attemptsOf(options: ClientRequestArgs): Attempts {
  const { host, port, lookup, timeout } = options;
  // Reason for the assertion: Node hands over the options of the request, and every request has these.
  const { attemptsEnd } = options as RacingOptions;
  const address = host ?? '';
  const isAddress = isIP(address) !== 0;
  if (!isAddress && lookup === undefined) throw new Error('a name is resolved by the lookup that checks its addresses');
  return {
    resolve: () =>
      new Promise((resolve, reject) => {
        if (isAddress || lookup === undefined) return resolve([{ address, family: isIP(address) }]);
        lookup(address, { all: true }, (error, found) =>
          error !== null || typeof found === 'string' ? reject(error ?? new Error('no list')) : resolve(found),
        );
      }),
    port: Number(port),
    idleMs: timeout,
    signal: attemptsEnd,
  };
}
