// HTTP load by autocannon: keep-alive connections, each with one request in flight.
import autocannon from 'autocannon';

/** autocannon reads its clock once a second, so a load shorter than that is this many requests. */
const fewRequests = 100;

/**
 * Sends the requests in turn on every connection. Throws if an answer is not 2xx.
 * @param {{url: string, requests: object[], connections: number, seconds: number}} load
 * @returns {Promise<{rate: number, answered: number}>} requests answered a second, and in all
 */
export async function httpLoad({ url, requests, connections, seconds }) {
  const load = seconds < 1 ? { amount: fewRequests } : { duration: seconds };
  const running = autocannon({ url, requests, connections, ...load });
  const startedMs = performance.now();
  let answeredMs = startedMs;
  running.on('response', () => (answeredMs = performance.now()));
  const result = await running;
  const bad = result.non2xx + result.errors + result.timeouts;
  if (bad > 0) throw new Error(`${url}: ${bad} of ${result.requests.total} requests failed`);
  const answered = result['2xx'];
  return { answered, rate: answered / (seconds < 1 ? (answeredMs - startedMs) / 1000 : result.duration) };
}

/** Requests answered a second. */
export const requestsPerSecond = async (load) => (await httpLoad(load)).rate;

export const jsonBody = (body) => ({ body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
