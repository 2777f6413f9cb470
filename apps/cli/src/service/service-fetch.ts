import { isJsonObject } from '@app/kernel';
import { wrongInCalledUrl } from '@app/runtime';
import { InvalidArgumentError } from 'commander';
import { CommandFailed, reasonIn } from '../terminal/outcome';
import { visible } from '../terminal/output';

const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Refuses an address to which a credential would be sent in clear text. @param namedBy the option or variable that named it
 * @throws CommandFailed
 */
export function refuseClearText(address: string, namedBy: string): void {
  const { protocol, hostname } = URL.canParse(address) ? new URL(address) : { protocol: '', hostname: '' };
  if (protocol === 'https:' || (protocol === 'http:' && loopback.has(hostname))) return;
  const host = hostname === '' ? '' : `: ${protocol}//${hostname}`;
  throw new CommandFailed(`${namedBy} must begin with https:// unless it is on this machine${host}`);
}

/** Parses the address of an option. @throws InvalidArgumentError */
export function httpUrl(text: string): string {
  const wrong = wrongInCalledUrl(text);
  if (wrong !== null) throw new InvalidArgumentError(`It ${wrong}.`);
  return text;
}

/** The URL of a path of a service, which a proxy may serve below a path of its own. */
export function below(baseUrl: string, path: string): URL {
  const { origin, pathname } = new URL(baseUrl);
  return new URL(`${origin}${pathname.replace(/\/+$/, '')}${path}`);
}

/** An address for a sentence: without user, password and query, which can be secrets. */
export function addressInWords(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : 'an address';
}

/** Why a service did not answer, in one line. */
export function noAnswerOf(url: string | URL, error: unknown): string {
  const { origin } = new URL(url);
  const reason = reasonIn(error).replace(/^(TypeError: )?terminated$/, 'its answer was cut off');
  if (speaksNoTls(error)) return `${origin} does not speak TLS: is its address http://…?`;
  return reason === 'unexpected redirect'
    ? `${origin} answers with a redirect, which is not followed: name the address of the service itself`
    : `${origin} does not answer (${reason}): is the service started?`;
}

/** OpenSSL's errors for an answer that is no TLS record. */
const noTlsCodes = new Set(['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG', 'ERR_SSL_HTTP_REQUEST']);

function speaksNoTls(error: unknown): boolean {
  const cause: unknown = error instanceof Error ? (error.cause ?? error) : null;
  return cause instanceof Error && 'code' in cause && noTlsCodes.has(String(cause.code));
}

const answerShownMax = 200;

/** Describes a refusal: title and issues of a problem; for any other answer its beginning, quoted. */
export function problemInWords(answer: string): string {
  const problem = parsed(answer);
  if (!isJsonObject(problem) || typeof problem['title'] !== 'string')
    return `it answers ${JSON.stringify(answer.slice(0, answerShownMax))}`;
  const issues = Array.isArray(problem['issues']) ? problem['issues'].filter(isJsonObject) : [];
  const words = issues.map(({ path, message }) => `${textOf(path).slice(1)}: ${textOf(message)}`);
  return visible([problem['title'], ...words].join('; '));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // it is neither JSON nor a problem
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
