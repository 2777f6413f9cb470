// HTTP load by autocannon: keep-alive connections, each with one request under way.
import autocannon from 'autocannon';

/**
 * Requests answered in a second. The requests are sent in turn on every connection; an answer that is no 2xx is an error.
 * @param {{url: string, requests: object[], connections: number, seconds: number}} load
 */
export async function requestsPerSecond({ url, requests, connections, seconds }) {
  const result = await autocannon({ url, requests, connections, duration: seconds });
  const bad = result.non2xx + result.errors + result.timeouts;
  if (bad > 0) throw new Error(`${url}: ${bad} of ${result.requests.total} requests failed`);
  return result['2xx'] / result.duration;
}

export const jsonBody = (body) => ({ body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
