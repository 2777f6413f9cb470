import type { AttemptFailure } from './delivery';
import { AddressRefused } from './guarded-lookup';

const byCode: readonly (readonly [RegExp, AttemptFailure])[] = [
  [/^(ENOTFOUND|EAI_.+|ENODATA|ESERVFAIL|ENONAME|ETIMEOUT)$/, 'not_resolved'],
  [/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EACCES|EPERM|EINVAL)$/, 'not_connected'],
  [/^ETIMEDOUT$/, 'not_connected'],
  [/^(ECONNRESET|EPIPE|ECONNABORTED)$/, 'cut_off'],
  [/^HPE_/, 'not_http'],
  [/^(ERR_SSL_.+|ERR_TLS_.+|EPROTO|CERT_.+|.*CERT.*|UNABLE_TO_.+|HOSTNAME_MISMATCH)$/, 'tls'],
];

/**
 * The failure shown to operators for an error of `http.request`. If several addresses fail, the error contains one per
 * address; the first is classified.
 */
export function failureOf(error: unknown): AttemptFailure {
  if (error instanceof AddressRefused) return 'address_refused';
  if (error instanceof AggregateError) return failureOf(error.errors[0]);
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  return byCode.find(([form]) => form.test(code))?.[1] ?? 'cut_off';
}
