import {
  OAuthClientFlowError,
  OAuthError,
  ProtocolError,
  SdkHttpError,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { brokenOffCode, McpFailed } from './connection';

const loggedLengthMax = 500;
/** A refusal says what it is in a few words; a page that speaks of sessions somewhere is none. */
const refusalLengthMax = 500;
/** How servers say with a 400 that a session is not known: those of the SDKs, and words like them. */
const sessionUnknown =
  /\b(?:(?:no valid|invalid|unknown|expired|missing) (?:mcp[ -])?session\b|session (?:id )?(?:is )?(?:not found|unknown|expired|invalid)\b|server not initialized\b)/i;
/** Most nested causes that are looked at. */
const causesMax = 4;

/**
 * What the client threw, as a failure with its cause in words.
 *
 * @param session of the connection, which the request named; undefined where there is none
 * @param lastWords of a child process, to its standard error
 */
export function failureOf(error: unknown, session: string | undefined, lastWords: string): McpFailed {
  if (error instanceof McpFailed) return error;
  if (error instanceof ProtocolError && error.code !== brokenOffCode)
    return new McpFailed('refused', [error.message, ...dataOf(error)].join('\n'));
  return new McpFailed(
    kindOf(error, session !== undefined),
    `${causesOf(error).slice(0, loggedLengthMax)} ${lastWords}`.trim(),
  );
}

/** Servers say there what their message leaves out. */
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
 * A server that does not know the session answers 404 by the protocol, and in practice 400 with words that say so. One that answers
 * the request by its id has looked at it, and may have begun, whatever it says.
 */
function tellsOfSession(body: unknown): boolean {
  if (typeof body !== 'string' || body.length > refusalLengthMax) return false;
  return sessionUnknown.test(body) && !/"id"\s*:\s*["\d]/.test(body);
}

/** "fetch failed" says nothing; its cause does. */
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
