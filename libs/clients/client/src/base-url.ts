/**
 * Returns the address of a deployment without a slash at its end. Throws a TypeError that says what is wrong with it.
 * @param given absolute http(s) URL without `/v1`; may have a path if a proxy needs one
 */
export function checkedBaseUrl(given: unknown): string {
  const wrong = (what: string): TypeError =>
    new TypeError(`baseUrl ${what}: give where the service is, such as https://parley.example.com`);
  if (typeof given !== 'string' || given.trim() === '') throw wrong('is missing');
  const url = parsed(given);
  if (url === null) throw wrong(`${JSON.stringify(given)} is no absolute URL`);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw wrong(`${JSON.stringify(given)} is neither http: nor https:`);
  }
  // Not quoted, because it may be a password.
  if (url.username !== '' || url.password !== '') throw wrong('holds a user name or a password');
  if (/[?#]/.test(given)) throw wrong(`${JSON.stringify(given)} has a query or a fragment`);
  const path = url.pathname.replace(/\/+$/, '');
  if (/\/v1$/.test(path)) throw wrong(`${JSON.stringify(given)} ends in /v1, which the client adds by itself`);
  return `${url.origin}${path}`;
}

function parsed(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    // The null reports it.
    return null;
  }
}

/** Returns `host:port`, also where the port is the protocol's default. */
export function hostOf(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;
}
