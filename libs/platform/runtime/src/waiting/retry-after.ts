/**
 * The pause that the `Retry-After` of an answer asks for: seconds, which some servers send with a fraction, or a date (RFC 9110, section
 * 10.2.3). Null for anything else.
 */
export function retryAfterMs(value: string | null | undefined): number | null {
  const text = value?.trim() ?? '';
  if (/^\d{1,9}(\.\d{1,9})?$/.test(text)) return Math.ceil(Number(text) * 1000);
  // `Date.parse` takes `-3` for a date too, but every real one has a time of day.
  const atMs = /\d:\d/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - Date.now());
}
