import {
  OAuthClientFlowError,
  OAuthError,
  ProtocolError,
  SdkHttpError,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { brokenOffCode, McpFailed } from './connection';

const loggedLengthMax = 500;
/** Of causes, one within the other. */
const causesMax = 4;

/** What the client threw, as a failure with its cause in words. @param lastWords of a child process, to its standard error */
export function failureOf(error: unknown, lastWords: string): McpFailed {
  if (error instanceof McpFailed) return error;
  if (error instanceof ProtocolError && error.code !== brokenOffCode) return new McpFailed('refused', error.message);
  return new McpFailed(kindOf(error), `${causesOf(error).slice(0, loggedLengthMax)} ${lastWords}`.trim());
}

function kindOf(error: unknown): McpFailed['kind'] {
  if (error instanceof UnauthorizedError || error instanceof OAuthError || error instanceof OAuthClientFlowError)
    return 'unauthorized';
  if (!(error instanceof SdkHttpError)) return 'broken';
  const { status } = error;
  // A server that has forgotten the session answers 404 by the protocol, and 400 in practice.
  if (status === 404 || status === 400) return 'unbegun';
  if (status === 401 || status === 403) return 'unauthorized';
  return status >= 300 && status < 400 ? 'redirected' : 'broken';
}

/** "fetch failed" says nothing; its cause does. */
function causesOf(error: unknown): string {
  const told: string[] = [];
  let current: unknown = error;
  for (let depth = 0; depth < causesMax && typeof current === 'object' && current !== null; depth += 1) {
    const { message, code, cause } = current as Partial<NodeJS.ErrnoException>; // whatever was thrown may be asked for members
    const words = message === undefined || message === '' ? code : message;
    if (words !== undefined && !told.some((line) => line.includes(words))) told.push(words);
    current = cause;
  }
  const status = error instanceof SdkHttpError ? `HTTP ${error.status}: ` : '';
  return told.length === 0 ? String(error) : `${status}${told.join(': ')}`;
}
