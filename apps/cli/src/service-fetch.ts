import { CommandFailed, reasonIn } from './outcome';

const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Refuses an address to which a credential would travel in clear text. @param namedBy the option or variable that named it
 * @throws CommandFailed
 */
export function refuseClearText(address: string, namedBy: string): void {
  const { protocol, hostname } = URL.canParse(address) ? new URL(address) : { protocol: '', hostname: '' };
  if (protocol === 'https:' || (protocol === 'http:' && loopback.has(hostname))) return;
  const host = hostname === '' ? '' : `: ${protocol}//${hostname}`;
  throw new CommandFailed(`${namedBy} must begin with https:// unless it is on this machine${host}`);
}

/** An address for a sentence: without user, password and query, which can be secrets. */
export function addressInWords(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : 'an address';
}

/** Why a service did not answer, in one line. */
export function noAnswerOf(url: string | URL, error: unknown): string {
  const { origin } = new URL(url);
  const reason = reasonIn(error);
  return reason === 'unexpected redirect'
    ? `${origin} answers with a redirect, which is not followed: name the address of the service itself`
    : `${origin} does not answer (${reason}): is the service started?`;
}
