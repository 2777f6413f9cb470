/**
 * Formats a failure for the log: the message of an error and those of its causes, each once. `the database did not answer` alone could mean
 * an unreachable PostgreSQL or a locked table, which need different repairs.
 */
export function failureWords(error: unknown): string {
  const said: string[] = [];
  for (let at: unknown = error, depth = 0; at != null && depth < depthMax; depth += 1) {
    const message = at instanceof Error ? at.message : typeof at === 'string' ? at : '';
    if (message !== '' && !said.some((earlier) => earlier.includes(message))) said.push(message);
    at = at instanceof Error ? at.cause : undefined;
  }
  return said.length === 0 ? 'unknown' : said.join(': ');
}

/** Causes may refer to each other. */
const depthMax = 5;
