// The partner's backend: JSON over kept-alive connections, and event streams.
import { Agent, request as httpRequest } from 'node:http';
import { Agent as TlsAgent, request as httpsRequest } from 'node:https';
import { createParser } from 'eventsource-parser';

const answerWithinMs = 60_000;
/** Shorter than any service keeps an idle connection, so that no request meets one that is closing. */
const idleMs = 4_000;

/** The service refused a request that may be repeated later. */
export class Refused extends Error {
  constructor({ status, reason, retryAfterMs }) {
    super(`${status} ${reason}`);
    this.retryAfterMs = retryAfterMs;
  }
}

/** No answer, or one that the service should not have given. */
export class Failed extends Error {}

/** One user, with the requests that a partner's backend makes for it. */
export class Client {
  constructor({ url, key, token, userId }) {
    const { protocol } = new URL(url);
    this.userId = userId;
    this.base = `${url}/v1/users/${userId}`;
    this.headers = { 'x-api-key': key, authorization: `Bearer ${token}` };
    this.request = protocol === 'https:' ? httpsRequest : httpRequest;
    this.agent = agentFor(protocol);
  }

  get(path) {
    return this.ask('GET', path);
  }

  post(path, body) {
    return this.ask('POST', path, body);
  }

  /**
   * Stores a text as a file.
   * @throws Refused, Failed
   */
  upload(path, text) {
    return this.exchange('POST', path, { 'content-type': 'text/plain' }, Buffer.from(text));
  }

  /**
   * Returns the body of a 2xx.
   * @throws Refused, Failed
   */
  ask(method, path, body) {
    const json = body === undefined ? null : Buffer.from(JSON.stringify(body));
    return this.exchange(method, path, json === null ? {} : { 'content-type': 'application/json' }, json);
  }

  async exchange(method, path, type, bytes) {
    const headers = bytes === null ? {} : { ...type, 'content-length': bytes.length };
    const signal = AbortSignal.timeout(answerWithinMs);
    const what = `${method} ${path.replaceAll(/[0-9a-f-]{36}/g, '…')}`;
    try {
      const response = await this.send(method, path, headers, bytes, signal);
      const text = await textOf(response);
      return answered(what, response, text);
    } catch (error) {
      if (error instanceof Refused || error instanceof Failed) throw error;
      throw new Failed(`${what}: ${signal.aborted ? 'no answer in time' : (error.code ?? error.message)}`);
    }
  }

  /**
   * Follows a conversation's events after `after`. Calls `onEvent` with each durable one.
   * @returns {Promise<{ended: Promise<void>, close: () => void}>} when the stream is open
   * @throws Refused, Failed
   */
  async follow(conversationId, after, onEvent) {
    const headers = { accept: 'text/event-stream', 'last-event-id': String(after) };
    const what = 'GET /conversations/…/stream';
    const opening = this.send(
      'GET',
      `/conversations/${conversationId}/stream`,
      headers,
      null,
      AbortSignal.timeout(answerWithinMs),
      {
        agent: false,
      },
    );
    const response = await opening.catch((error) => {
      throw new Failed(`${what}: ${error.code ?? error.message}`);
    });
    if (response.statusCode !== 200) answered(what, response, await textOf(response));
    const parser = createParser({ onEvent: ({ data }) => tell(data, onEvent) });
    response.setEncoding('utf8').on('data', (text) => parser.feed(text));
    const ended = new Promise((resolve) => response.on('close', resolve).on('error', resolve));
    return { ended, close: () => response.destroy() };
  }

  send(method, path, headers, bytes, signal, options = { agent: this.agent }) {
    return new Promise((resolve, reject) => {
      const all = { ...this.headers, ...headers };
      const request = this.request(`${this.base}${path}`, { method, headers: all, ...options });
      // The signal bounds only the wait for the head; a stream stays open until it is closed.
      const giveUp = () => request.destroy(new Failed('no answer in time'));
      signal.addEventListener('abort', giveUp, { once: true });
      request.on('error', reject);
      request.on('response', (response) => {
        signal.removeEventListener('abort', giveUp);
        resolve(response);
      });
      request.end(bytes ?? undefined);
    });
  }
}

const agents = new Map();

/** All users of one partner share the connections of its backend. */
function agentFor(protocol) {
  const options = { keepAlive: true, timeout: idleMs };
  const agent = agents.get(protocol) ?? (protocol === 'https:' ? new TlsAgent(options) : new Agent(options));
  agents.set(protocol, agent);
  return agent;
}

async function textOf(response) {
  const chunks = [];
  for await (const chunk of response) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function answered(what, { statusCode: status, headers }, text) {
  if (status >= 200 && status < 300) return text === '' ? null : JSON.parse(text);
  const problem = headers['content-type'] === 'application/problem+json' ? JSON.parse(text) : {};
  const mayAskAgain = problem.status === status && problem.retryable === true;
  if (!mayAskAgain) throw new Failed(`${what}: ${status} ${problem.reason ?? text.slice(0, 200)}`);
  throw new Refused({ status, reason: problem.reason, retryAfterMs: Number(headers['retry-after'] ?? 0) * 1000 });
}

/** Durable events have a `seq`; transient ones, such as the words of a reply in progress, have none. */
function tell(data, onEvent) {
  const event = JSON.parse(data);
  if (event.delivery === 'durable') onEvent(event);
}
