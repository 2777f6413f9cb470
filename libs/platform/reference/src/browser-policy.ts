/**
 * No script but the site's own files, no connection but to the service itself. The renderer sets styles of its own, which is all
 * that must be allowed inline.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Fields of every page, besides those of every answer. */
export const pageFields = {
  'content-security-policy': policy,
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** Fields of every asset. */
export const assetFields = { 'cross-origin-resource-policy': 'same-origin' };
