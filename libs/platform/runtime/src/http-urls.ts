/** How a URL with a host begins; the parser also accepts `https:host` and `https:///host`. */
const beginning = /^https?:\/\/[^/?#\\]/i;
/** The parser drops or changes these characters, so that the address requested would differ from the one reviewed. */
const unspelled = /[\s\\\u0000-\u001f\u007f-\u009f]/;
/** An empty label of a host, which no name server knows. A single dot at the end of a host makes none. */
const emptyLabel = /^\.|\.\./;

/** Whether a text is a URL of HTTP with a host. */
export function isHttpUrl(text: string): boolean {
  return beginning.test(text) && URL.canParse(text);
}

/**
 * Returns what is wrong with a URL of HTTP (`isHttpUrl`) as an address to send requests to, in words that follow its name; null if nothing
 * is. Every address that the service calls is judged here: those of its settings, and endpoints of webhooks.
 */
export function wrongInHttpUrl(text: string): string | null {
  if (unspelled.test(text)) return 'must hold no space, no control character and no backslash: percent-encode them';
  // `https://@host/` names an empty user, which the parser drops.
  if (/^[^/]*\/\/[^/?#]*@/.test(text)) return 'must hold no user and no password';
  const { hostname, port } = new URL(text);
  if (emptyLabel.test(hostname)) return 'must name a host without an empty label: no dot first, no two in a row';
  return port === '0' ? 'must hold no port 0' : null;
}

/**
 * Returns what is wrong with an address for a client that names the host to TLS as it is written, as `fetch` and the SDKs do; null if
 * nothing is. Strict servers refuse a name with a dot at its end (RFC 6066, section 3). Webhooks strip it themselves.
 */
export function wrongInCalledUrl(text: string): string | null {
  if (!isHttpUrl(text)) return 'must be a URL that begins with http:// or https://';
  const isDotted = /^https:/i.test(text) && new URL(text).hostname.endsWith('.');
  return (
    wrongInHttpUrl(text) ?? (isDotted ? 'must name a host without a dot at its end, which TLS does not take' : null)
  );
}
