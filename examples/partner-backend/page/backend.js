import { wordsFor } from './problem-words.js';

/** A failure, with a message for the user. */
class Problem extends Error {
  /**
   * @param {string} reason
   * @param {{ requestId?: string, retryAfterSeconds?: number }} [more]
   */
  constructor(reason, more = {}) {
    super(wordsFor(reason, more));
    this.reason = reason;
  }
}

/**
 * Calls our own backend; the browser sends the session's cookie with it.
 * @param {string} method
 * @param {string} path
 * @param {object} [body]
 * @returns {Promise<any>} the answer's JSON
 */
export async function call(method, path, body) {
  const answer = await fetch(path, {
    method,
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  }).catch(() => {
    throw new Problem('offline');
  });
  const text = await answer.text();
  if (answer.ok) return text === '' ? null : JSON.parse(text);
  throw problemIn(text);
}

/** @param {string} text */
function problemIn(text) {
  try {
    const { reason, ...more } = JSON.parse(text);
    return new Problem(String(reason), more);
  } catch {
    return new Problem('offline'); // a proxy's own page: our backend did not answer
  }
}
