/**
 * Explains why no cluster could be made: the first thing that its programs could not do, such as a full disk; otherwise everything they
 * wrote.
 */
export function whyNotMade(folder: string, code: number | null, output: string): string {
  const [, why] = /\b(?:FATAL|PANIC):\s+(.*)/.exec(output) ?? [];
  return `no PostgreSQL can be made in ${folder}: ${why ?? `initdb ended with ${code ?? 'a signal'}:\n${output}`}`;
}
