import { technicalWords } from './technical-words';

/**
 * Formats a failure for the log: the message of an error and those of its causes, each once. `the database did not answer` alone could mean
 * an unreachable PostgreSQL or a locked table, which need different repairs.
 */
export function failureWords(error: unknown): string {
  const said: string[] = [];
  for (let at: unknown = error, depth = 0; at != null && depth < depthMax; depth += 1) {
    const message = at instanceof Error ? loggedMessage(at) : typeof at === 'string' ? at : '';
    if (message !== '' && !said.some((earlier) => earlier.includes(message))) said.push(message);
    at = at instanceof Error ? at.cause : undefined;
  }
  return said.length === 0 ? 'unknown' : said.join(': ');
}

/** Causes may refer to each other. */
const depthMax = 5;

/** Errors of the language and of Node that quote the value that they are about. */
const quoting = ['SyntaxError', 'RangeError', 'URIError'];
/** PostgreSQL's class of errors about a value, which it quotes: "Data Exception". */
const dataException = /^22[0-9A-Z]{3}$/;

/** Returns the message of an error for the log: only the technical words of one that quotes values, since these may be words of a person. */
export function loggedMessage(error: Error): string {
  const code: unknown = Reflect.get(error, 'code');
  const quotes = quoting.includes(error.name) || (typeof code === 'string' && dataException.test(code));
  return quotes ? technicalWords(error.message) : error.message;
}
