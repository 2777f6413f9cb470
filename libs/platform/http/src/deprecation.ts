/**
 * Returns the header fields of every `/v1` answer once `/v1` is deprecated: `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a link to the
 * documentation; none before.
 */
export function deprecationHeaders(
  since: string | undefined,
  until: string | undefined,
): Readonly<Record<string, string>> {
  if (since === undefined || until === undefined) return {};
  return {
    deprecation: `@${Math.floor(Date.parse(since) / 1000)}`,
    sunset: new Date(until).toUTCString(),
    link: '</docs>; rel="deprecation"; type="text/html"',
  };
}
