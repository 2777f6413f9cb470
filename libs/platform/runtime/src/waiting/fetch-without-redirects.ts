import { unlessAborted } from './unless-aborted';

/** The statuses that redirect a client (RFC 9110, section 15.4); 304 does not. */
const redirects = [301, 302, 303, 307, 308];

/**
 * `fetch` that refuses redirects, as `redirect: 'error'` does, because a request is meant for one host. The option itself is not used: with
 * it, the `fetch` of Node 20 loses its abort signal at the next garbage collection, and waits forever for a body that stops arriving
 * (nodejs/undici issue 4627).
 * @throws the errors of `fetch`, and TypeError for a redirect
 */
export const fetchWithoutRedirects: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: 'manual' });
  if (!redirects.includes(response.status)) return endingWith(response, init?.signal);
  await response.body?.cancel();
  throw new TypeError('fetch failed', { cause: new Error('unexpected redirect') });
};

/**
 * Returns the same answer with a body that fails as soon as the signal aborts. The body of Node 20's `fetch` does not fail if the abort
 * happens while it is decompressed (`Content-Encoding`): its reader would wait forever.
 */
export function endingWith(response: Response, signal: AbortSignal | null | undefined): Response {
  if (response.body === null || signal == null) return response;
  // Reason for the assertion: the types of fetch leave the chunks of the body open; they are bytes.
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const leave = (reason: unknown): void => void reader.cancel(reason).catch(() => undefined); // it is broken already
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await unlessAborted(reader.read(), signal);
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        leave(error);
        throw error;
      }
    },
    cancel: leave,
  });
  const { status, statusText, headers, url } = response;
  return Object.defineProperty(new Response(body, { status, statusText, headers }), 'url', { value: url });
}
