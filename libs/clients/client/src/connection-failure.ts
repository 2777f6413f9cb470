// How the `fetch` of each runtime fails, as observed by test/runtimes. A browser reports only that it failed; a page
// cannot read whether anything was sent.
import { hostOf } from './base-url.js';
import { ParleyUnreachable } from './problems.js';

/** Codes of connections that were never opened: Node, Bun, and Bun before 1.4. */
const notConnected: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'ConnectionRefused',
]);
/** Node's system calls that precede sending. With any other call the same codes may mean that an open connection broke. */
const beforeSending: ReadonlySet<string> = new Set(['getaddrinfo', 'connect']);
/** A certificate is checked before the request is sent (OpenSSL's names, in Node and Bun). */
const certificate =
  /^(ERR_TLS_CERT_\w+|CERT_\w+|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(GET|VERIFY)_\w+|HOSTNAME_MISMATCH)$/;
/** Known only by message: Deno cannot connect, TLS broke off in Node or Bun, a port that fetch blocks. */
const saidBeforeSending =
  /client error \(Connect\)|before secure TLS connection was established|TLS handshake failed|^bad port$|Requests to port \d+ are blocked/;
const causesMax = 10;

/** Describes a request that got no whole answer. `error` is the failure of `fetch` or of its body. */
export function connectionFailure(error: unknown, url: string, requestId: string): ParleyUnreachable {
  const host = hostOf(url);
  const outcome = wasNeverSent(error, 0) ? 'not_sent' : 'unknown';
  const code = codeOf(error, 0);
  const why = code === undefined ? '' : ` (${code})`;
  const message =
    outcome === 'not_sent'
      ? `No connection to ${host}${why}: the request was not sent`
      : `The connection to ${host} failed${why}: ${outcomeUnknown}`;
  return new ParleyUnreachable(message, { kind: 'connection', outcome, host, requestId, cause: error });
}

/** End of each message about a request whose outcome is unknown. */
export const outcomeUnknown: string = 'whether the request was carried out is not known';

/** Whether an error says that every attempt to connect failed. */
function wasNeverSent(error: unknown, depth: number): boolean {
  if (!isObject(error) || depth > causesMax) return false;
  // Several errors, when a name resolves to several addresses.
  if (Array.isArray(error['errors']) && error['errors'].length > 0) {
    return error['errors'].every((one) => wasNeverSent(one, depth + 1));
  }
  return saysSo(error) || wasNeverSent(error['cause'], depth + 1);
}

function saysSo({ code, syscall, message }: Record<string, unknown>): boolean {
  if (typeof syscall === 'string') return beforeSending.has(syscall);
  if (typeof code === 'string' && (notConnected.has(code) || certificate.test(code))) return true;
  return typeof message === 'string' && saidBeforeSending.test(message);
}

/** The innermost error code. */
function codeOf(error: unknown, depth: number): string | undefined {
  if (!isObject(error) || depth > causesMax) return undefined;
  const inner: unknown = Array.isArray(error['errors']) ? error['errors'][0] : error['cause'];
  const { code } = error;
  return codeOf(inner, depth + 1) ?? (typeof code === 'string' ? code : undefined);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
