import { Injectable } from '@nestjs/common';
import { productVersion } from '@app/kernel';
import { abortAfter, retryAfterMs } from '@app/runtime';
import { Configuration } from '@app/settings';
import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import type { AttemptFailure } from './delivery';
import { AddressRefused, guardedLookup } from './guarded-lookup';
import { isPrivateHost } from '../endpoint/public-addresses';
import { RacingHttpAgent, RacingHttpsAgent, type RacingOptions } from './racing-agents';
import { Resolver } from './resolver';
import type { Outcome } from './retry-policy';

/** Real time, from the first step to the status of the answer. */
export const answerWithinMs = 15_000;
/** How much of a body is read, so that the connection can be reused. */
const bodyBytesMax = 16 * 1024;
const bodyWithinMs = 1_000;
/** Idle connections are kept for less time than servers usually keep them. */
const idleMs = 4_000;
const retryAfterMaxMs = 86_400_000;

/** A message to post. */
export interface Message {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Posts messages to addresses that third parties chose, without being led to internal ones. */
@Injectable()
export class Sender {
  private readonly agents: Readonly<Record<string, http.Agent>>;
  /** For requests on connections of their own. */
  private readonly agentsOnce: Readonly<Record<string, http.Agent>>;
  private readonly lookups;

  constructor(
    private readonly configuration: Configuration,
    resolver: Resolver,
  ) {
    const kept = { keepAlive: true, maxFreeSockets: 4, timeout: idleMs, scheduling: 'lifo' } as const;
    this.agents = { 'http:': new RacingHttpAgent(kept), 'https:': new RacingHttpsAgent(kept) };
    this.agentsOnce = { 'http:': new RacingHttpAgent(), 'https:': new RacingHttpsAgent() };
    this.lookups = { anywhere: guardedLookup(resolver, () => true), guarded: guardedLookup(resolver) };
  }

  /** Posts once, or again at once if a kept connection turns out to have ended. Never throws. */
  async post(message: Message, signal: AbortSignal): Promise<Outcome> {
    const deadline = AbortSignal.any([signal, abortAfter(answerWithinMs)]);
    try {
      const answer = await this.postOnce(message, deadline, true).catch((error: unknown) => {
        if (!(error instanceof KeptConnectionEnded)) throw error;
        return this.postOnce(message, deadline, false);
      });
      return outcomeOf(answer);
    } catch (error) {
      return {
        kind: 'failed',
        failure: deadline.aborted ? 'timeout' : failureOf(error),
        status: null,
        retryAfterMs: null,
      };
    }
  }

  close(): void {
    for (const agent of [this.agents, this.agentsOnce].flatMap(Object.values<http.Agent>)) agent.destroy();
  }

  private async postOnce({ url, headers, body }: Message, signal: AbortSignal, kept: boolean): Promise<Answer> {
    const to = new URL(url);
    const options: RacingOptions = {
      method: 'POST',
      agent: (kept ? this.agents : this.agentsOnce)[to.protocol],
      headers: { ...headers, 'user-agent': `Parley/${productVersion}`, 'content-length': body.length },
      signal,
      attemptsEnd: signal,
      ...serverNameOf(to),
      ...this.guard(to),
    };
    const request = to.protocol === 'https:' ? https.request(to, options) : http.request(to, options);
    return answerTo(request.end(body));
  }

  /** Checks an address here, because `lookup` is not called for it. @throws AddressRefused */
  private guard({ protocol, hostname }: URL): Pick<RequestOptions, 'lookup'> {
    const { env, sandbox } = this.configuration;
    if (protocol !== 'https:' && !(sandbox && protocol === 'http:')) throw new AddressRefused(hostname);
    if (env.WEBHOOK_ALLOW_PRIVATE ?? sandbox) return { lookup: this.lookups.anywhere };
    if (isPrivateHost(hostname)) throw new AddressRefused(hostname.replace(/^\[|\]$/g, ''));
    return { lookup: this.lookups.guarded };
  }
}

/**
 * Returns the name of TLS without the dot of a fully qualified host: strict receivers refuse a dot (RFC 6066, section 3). Empty for others,
 * because Node takes the host itself. The certificate is checked against this name.
 */
function serverNameOf({ protocol, hostname }: URL): { servername?: string } {
  return protocol === 'https:' && hostname.endsWith('.') ? { servername: hostname.slice(0, -1) } : {};
}

interface Answer {
  readonly status: number;
  readonly retryAfterMs: number | null;
}

/** The server ended a kept connection just as it was reused, so it did not process the request. */
class KeptConnectionEnded extends Error {}

/** The connection closed without any event that says how. */
class Closed extends Error {}

/** Settles however a connection ends or changes: with an answer, a switch of protocols, an error, or a plain close. */
function answerTo(request: ClientRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const closed = (): void => reject(new Closed());
    request.once('close', closed);
    // Without a listener, Node closes the connection of a 101 and reports neither an answer nor an error.
    request.once('upgrade', (response, socket) => {
      socket.destroy();
      resolve({ status: response.statusCode ?? 0, retryAfterMs: null });
    });
    request.once('error', (error: NodeJS.ErrnoException) => {
      const isStale = request.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(error.code ?? '');
      reject(isStale ? new KeptConnectionEnded() : error);
    });
    request.once('response', (response) => {
      request.off('close', closed); // from here on, a close ends the body
      const answer = { status: response.statusCode ?? 0, retryAfterMs: retryAfterIn(response) };
      drain(response, () => resolve(answer));
    });
  });
}

/** Discards a body, and closes the connection if the body is large or slow. */
function drain(response: IncomingMessage, done: () => void): void {
  let bytes = 0;
  const enough = setTimeout(() => response.destroy(), bodyWithinMs);
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) response.destroy();
  });
  response.on('error', () => undefined); // the status is all that is needed
  response.once('close', () => {
    clearTimeout(enough);
    done();
  });
}

/** The pause of `Retry-After`, a day at most. */
function retryAfterIn({ headers }: IncomingMessage): number | null {
  const asked = retryAfterMs(headers['retry-after']);
  return asked === null ? null : Math.min(asked, retryAfterMaxMs);
}

const failuresByCode: readonly (readonly [RegExp, AttemptFailure])[] = [
  [/^(ENOTFOUND|EAI_.+|ENODATA|ESERVFAIL|ENONAME|ETIMEOUT)$/, 'not_resolved'],
  [/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EACCES|EPERM|EINVAL|ETIMEDOUT)$/, 'not_connected'],
  [/^(ECONNRESET|EPIPE|ECONNABORTED)$/, 'cut_off'],
  [/^HPE_/, 'not_http'],
  [/^(ERR_SSL_.+|ERR_TLS_.+|EPROTO|CERT_.+|.*CERT.*|UNABLE_TO_.+|HOSTNAME_MISMATCH)$/, 'tls'],
];

/** The failure shown to operators for an error of `http.request`; if several addresses fail, that of the first. */
function failureOf(error: unknown): AttemptFailure {
  if (error instanceof AddressRefused) return 'address_refused';
  if (error instanceof AggregateError) return failureOf(error.errors[0]);
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  return failuresByCode.find(([form]) => form.test(code))?.[1] ?? 'cut_off';
}

function outcomeOf({ status, retryAfterMs }: Answer): Outcome {
  if (status >= 200 && status < 300) return { kind: 'delivered', status };
  const failure = status >= 300 && status < 400 ? 'redirect' : 'status';
  return { kind: 'failed', failure, status, retryAfterMs };
}
