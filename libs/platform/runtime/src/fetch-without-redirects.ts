/** The statuses that send a client to another address (RFC 9110, section 15.4); 304 does not. */
const redirects = [301, 302, 303, 307, 308];

/**
 * `fetch` that refuses redirects, as `redirect: 'error'` does: a request is meant for one host. The option itself is not used: with it,
 * the `fetch` of Node 20 loses its abort signal at the next garbage collection, and waits without end for a body that stops arriving
 * (nodejs/undici issue 4627).
 * @throws whatever `fetch` throws, and TypeError for a redirect
 */
export const fetchWithoutRedirects: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: 'manual' });
  if (!redirects.includes(response.status)) return response;
  await response.body?.cancel();
  throw new TypeError('fetch failed', { cause: new Error('unexpected redirect') });
};
