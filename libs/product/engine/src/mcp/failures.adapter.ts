import {
  OAuthClientFlowError,
  OAuthError,
  ProtocolError,
  SdkHttpError,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { technicalWords } from '@app/kernel';
import { brokenOffCode, McpFailed } from './connection';

const loggedLengthMax = 500;
/** The longest body that counts as a refusal: a refusal is a few words, and a page that mentions sessions somewhere is none. */
const refusalLengthMax = 500;
/** How servers say with a 400 that a session is not known: the words of the SDKs, and similar ones. */
const sessionUnknown =
  /\b(?:(?:no valid|invalid|unknown|expired|missing) (?:mcp[ -])?session\b|session (?:id )?(?:is )?(?:not found|unknown|expired|invalid)\b|server not initialized\b)/i;
/** Most nested causes that are read. */
const causesMax = 4;

/**
 * Converts what the client threw to a failure with its cause in technical words: a server may repeat what a person wrote.
 *
 * @param session id that the request named; undefined without a session
 * @param lastWords of a child process that has not been called yet, to its standard error
 */
export function failureOf(error: unknown, session: string | undefined, lastWords: string): McpFailed {
  if (error instanceof McpFailed) return error;
  if (error instanceof ProtocolError && error.code !== brokenOffCode)
    return new McpFailed('refused', [error.message, ...dataOf(error)].join('\n'));
  return new McpFailed(
    kindOf(error, session !== undefined),
    `${technicalWords(causesOf(error)).slice(0, loggedLengthMax)} ${lastWords}`.trim(),
  );
}

/** Returns the details that servers put there and leave out of their message. */
function dataOf({ data }: ProtocolError): readonly string[] {
  return data === undefined || data === null ? [] : [typeof data === 'string' ? data : JSON.stringify(data)];
}

function kindOf(error: unknown, inSession: boolean): McpFailed['kind'] {
  if (error instanceof UnauthorizedError || error instanceof OAuthError || error instanceof OAuthClientFlowError)
    return 'unauthorized';
  if (!(error instanceof SdkHttpError)) return 'broken';
  const { status } = error;
  if (inSession && (status === 404 || (status === 400 && tellsOfSession(error.data.text)))) return 'unbegun';
  if (status === 401 || status === 403) return 'unauthorized';
  return status >= 300 && status < 400 ? 'redirected' : 'broken';
}

/**
 * Whether a 400 says that the session is unknown: the protocol demands a 404, but in practice servers send such words. One that answers the
 * request by its id has read it, and may have begun, whatever it says.
 */
function tellsOfSession(body: unknown): boolean {
  if (typeof body !== 'string' || body.length > refusalLengthMax) return false;
  return sessionUnknown.test(body) && !/"id"\s*:\s*["\d]/.test(body);
}

/** Joins an error's message with those of its causes, because "fetch failed" alone says nothing. */
function causesOf(error: unknown): string {
  const told: string[] = [];
  let current: unknown = error;
  for (let depth = 0; depth < causesMax && typeof current === 'object' && current !== null; depth += 1) {
    const { message, code, cause } = current as Partial<NodeJS.ErrnoException>; // any thrown value may be asked for members
    const words = message === undefined || message === '' ? code : message;
    if (words !== undefined && !told.some((line) => line.includes(words))) told.push(words);
    current = cause;
  }
  const status = error instanceof SdkHttpError ? `HTTP ${error.status}: ` : '';
  return told.length === 0 ? String(error) : `${status}${told.join(': ')}`;
}
