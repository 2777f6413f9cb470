import type { IncomingHttpHeaders } from 'node:http';

/** Bytes from the first to the last, both included. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** The outcome of a request for bytes that never change: all of them, a part, nothing new, or a part that does not exist. */
export type AskedBytes =
  | { readonly kind: 'whole' }
  | { readonly kind: 'part'; readonly range: ByteRange }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'outside' };

/**
 * Evaluates `If-None-Match`, `Range` and `If-Range` (RFC 9110, sections 13.1.2, 14.2 and 13.1.5). `HEAD` ignores ranges. Several ranges,
 * and malformed ones, are answered with the whole, as section 14.2 allows.
 * @param entityTag strong, with its quotes @param bytes their number, at least one
 */
export function askedBytes(method: string, headers: IncomingHttpHeaders, entityTag: string, bytes: number): AskedBytes {
  const known = headers['if-none-match'];
  if (known !== undefined && namesTag(known, entityTag)) return { kind: 'unchanged' };
  const ifRange = headers['if-range'];
  if (method !== 'GET' || headers.range === undefined || (ifRange !== undefined && ifRange !== entityTag))
    return { kind: 'whole' };
  return rangeOf(headers.range, bytes);
}

function rangeOf(range: string, bytes: number): AskedBytes {
  const [, first = '', last = ''] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(range) ?? [];
  if (first === '' && last === '') return { kind: 'whole' };
  if (first === '')
    return Number(last) === 0 ? { kind: 'outside' } : part(Math.max(bytes - Number(last), 0), bytes - 1);
  if (last !== '' && Number(last) < Number(first)) return { kind: 'whole' };
  if (Number(first) >= bytes) return { kind: 'outside' };
  return part(Number(first), last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1));
}

function part(from: number, to: number): AskedBytes {
  return { kind: 'part', range: { from, to } };
}

/** Compared weakly, because a copy that was compressed in transit has a weak tag. */
function namesTag(list: string, entityTag: string): boolean {
  return list.trim() === '*' || list.split(',').some((tag) => tag.trim().replace(/^W\//, '') === entityTag);
}
