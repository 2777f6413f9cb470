/** The result of one check. */
export interface Finding {
  readonly what: string;
  readonly state: 'ok' | 'warning' | 'bad';
  /** The finding and, unless it is ok, the remedy. */
  readonly says: string;
}

export const finding = (what: string, state: Finding['state'], says: string): Finding => ({ what, state, says });

type Findings = Readonly<Record<Finding['state'], (says: string) => Finding>>;

/** Returns the functions that make the findings of one check. */
export function findingsOf(what: string): Findings {
  const of = (state: Finding['state']) => (says: string) => finding(what, state, says);
  return { ok: of('ok'), warning: of('warning'), bad: of('bad') };
}

/** The system's code of an error, such as `ENOENT`; null for an error without one. */
export function codeOf(error: unknown): string | null {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
  return typeof code === 'string' ? code : null;
}
