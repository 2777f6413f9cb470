/** What a scripted service answers to `GET /v1/users/me`. */
export const me = { userId: 'u', subject: 's', expiresAt: 'then' };
export const runs = '/v1/users/{userId}/agent-runs';
/** Carries an id of its own, so that it may be sent again. */
export const start = {
  params: { path: { userId: 'u' } },
  body: { conversationId: 'c', input: { text: 'hello' } },
};
export const conversations = '/v1/users/{userId}/conversations';
/** Would make a second conversation when it is sent again. */
export const create = { params: { path: { userId: 'u' } }, body: {} };

/** What a call rejects with; null when it does not. */
export function errorOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => null,
    (error: unknown) => error,
  );
}
