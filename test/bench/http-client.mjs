// Requests over kept-alive connections with Node's own client: fetch costs several times the CPU, which the measured
// side would lack.
import { Agent, request } from 'node:http';

/** A request that takes longer has failed. */
const answerWithinMs = 60_000;
const agent = new Agent({ keepAlive: true, noDelay: true });

/**
 * Posts JSON.
 * @returns {Promise<unknown>} the parsed answer
 * @throws an error with status and text if the answer is not 2xx
 */
export function post(url, headers, body) {
  const text = body === undefined ? '' : JSON.stringify(body);
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const sent = { ...headers, ...type, 'content-length': Buffer.byteLength(text) };
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: 'POST', agent, headers: sent, timeout: answerWithinMs }, (response) => {
      let answer = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => (answer += chunk));
      response.on('error', reject);
      response.on('end', () => {
        if (response.statusCode >= 300) reject(new Error(`POST ${url}: ${response.statusCode} ${answer}`));
        else resolve(answer === '' ? undefined : JSON.parse(answer));
      });
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error(`POST ${url}: no answer in ${answerWithinMs} ms`)));
    outgoing.on('error', reject);
    outgoing.end(text);
  });
}

/**
 * Reads a long answer line by line until it is closed.
 * @returns {Promise<{close: () => void}>} once the answer has begun
 */
export function followLines(url, headers, onLine) {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { headers }, (response) => {
      let rest = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop();
        for (const line of lines) onLine(line);
      });
      response.on('error', () => undefined); // we closed it
      resolve({ close: () => outgoing.destroy() });
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}
