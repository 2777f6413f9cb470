/** Returns the token of `Authorization: Bearer` (RFC 6750; the scheme's name in any case), or null. */
export function bearerOf(authorization: string | undefined): string | null {
  if (authorization === undefined || authorization.slice(0, 7).toLowerCase() !== 'bearer ') return null;
  return authorization.slice(7).trim() || null;
}
