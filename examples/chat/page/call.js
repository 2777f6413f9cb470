/** A refusal of the example's own server, or no answer at all. `message` can be shown. */
class CallFailed extends Error {
  /**
   * @param {string} reason
   * @param {number} status 0 if there was no answer
   * @param {string} message
   */
  constructor(reason, status, message) {
    super(message);
    this.reason = reason;
    this.status = status;
  }
}

/** Messages for the user, by reason. */
const words = new Map([
  ['run_active', 'The agent is still working on your last message. Wait until it is done, or stop it.'],
  ['budget_exhausted', 'The budget for the agent is used up for now. Your message was not sent.'],
  ['execution_capacity', 'The agent is busy with others at the moment. Please try again shortly.'],
  ['execution_unavailable', 'The agent cannot work right now. Please try again shortly.'],
  ['deployment_paused', 'New work is paused by the operator. Nothing was started.'],
  ['approval_not_pending', 'This was already decided, or its time is over.'],
  ['not_signed_in', 'Your session is over. Please sign in again.'],
  ['unreachable', 'We cannot be reached. Check your connection and try again.'],
]);

/**
 * Returns a message for the user about a failure.
 * @param {unknown} error
 */
export function wordsFor(error) {
  const reason = typeof error === 'object' && error !== null ? Reflect.get(error, 'reason') : undefined;
  if (typeof reason === 'string' && words.has(reason)) return String(words.get(reason));
  return error instanceof Error && error.message !== '' ? error.message : 'Something went wrong on our side.';
}

/**
 * Calls the example's server.
 * @param {'GET' | 'POST' | 'DELETE'} method
 * @param {string} path
 * @param {object} [body]
 * @returns {Promise<any>} its answer; the caller knows its shape
 */
export async function call(method, path, body) {
  const init =
    body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(path, { method, ...init }).catch(() => null);
  if (response === null) throw new CallFailed('unreachable', 0, String(words.get('unreachable')));
  if (response.status === 204) return null;
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  throw new CallFailed(String(answer.reason ?? response.status), response.status, String(answer.title ?? ''));
}
