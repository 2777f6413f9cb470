/** Statuses that send a client elsewhere (RFC 9110, 15.4; 304 does not). */
const redirects = [301, 302, 303, 307, 308];

/**
 * `fetch`, and a redirect rejects as with `redirect: 'error'`: what is sent is for one host alone. With that option the `fetch` of Node 20
 * forgets its signal at the next garbage collection, and a body that fell silent was awaited for ever (nodejs/undici issue 4627).
 * @throws what `fetch` throws, and TypeError for a redirect
 */
export const fetchWithoutRedirects: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: 'manual' });
  if (!redirects.includes(response.status)) return response;
  await response.body?.cancel();
  throw new TypeError('fetch failed', { cause: new Error('unexpected redirect') });
};
