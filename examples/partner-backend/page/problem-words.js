/** Messages for the user, by the reason of the problem. */
const words = new Map([
  ['run_active', 'The agent is still working on your last message. Wait until it is done, or stop it.'],
  ['budget_exhausted', 'The budget for the agent is used up for now. Your message was not sent.'],
  ['execution_capacity', 'The agent is busy with others at the moment. Please try again shortly.'],
  ['execution_unavailable', 'The agent cannot work right now. Please try again shortly.'],
  ['engine_unavailable', 'The agent cannot work right now. Please try again shortly.'],
  ['provider_unavailable', 'The wallet cannot be reached right now. Please try again shortly.'],
  ['deployment_paused', 'New work is paused by the operator. Nothing was started.'],
  ['run_not_active', 'This work is not running any more.'],
  ['stop_pending', 'The agent is being stopped; that takes a moment longer.'],
  ['approval_not_pending', 'This was already decided, or its time is over.'],
  ['withdrawal_changed', 'The withdrawal is not possible as it stands. Please ask for it again.'],
  ['account_disabled', 'Your account is disabled. Please contact us.'],
  ['rate_limited', 'That was a lot at once.'],
  ['invalid_input', 'That cannot be sent as it is.'],
  ['not_found', 'There is nothing here (any more).'],
  ['not_signed_in', 'Your session is over. Please sign in again.'],
  [
    'unreachable',
    'The agent’s service does not answer at the moment. What you started goes on by itself; please try again.',
  ],
  ['offline', 'We cannot be reached. Check your connection and try again.'],
]);

/**
 * @param {string} reason
 * @param {{ requestId?: string, retryAfterSeconds?: number }} more
 */
export function wordsFor(reason, { requestId, retryAfterSeconds }) {
  const known = words.get(reason);
  if (known === undefined) return `Something went wrong on our side.${requestId ? ` Please quote ${requestId}.` : ''}`;
  return retryAfterSeconds === undefined ? known : `${known} Try again in ${retryAfterSeconds} s.`;
}
