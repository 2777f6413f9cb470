/**
 * Allows only scripts from the site's own files, and connections to the service itself. The renderer sets its own styles, the only inline
 * content that must be allowed.
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

/** Fields of every page, in addition to those of every answer. */
export const pageFields = {
  'content-security-policy': policy,
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** Fields of every asset. */
export const assetFields = { 'cross-origin-resource-policy': 'same-origin' };
