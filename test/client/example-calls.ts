/** The scripted service's answer to `GET /v1/users/me`. */
export const me = { userId: 'u', subject: 's', expiresAt: 'then' };
export const runs = '/v1/users/{userId}/agent-runs';
/** Carries a client-generated id, so it may be repeated. */
export const start = {
  params: { path: { userId: 'u' } },
  body: { conversationId: 'c', input: { text: 'hello' } },
};
export const conversations = '/v1/users/{userId}/conversations';
/** Would create a second conversation if it were repeated. */
export const create = { params: { path: { userId: 'u' } }, body: {} };

/** The rejection of a call; null if it resolves. */
export function errorOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => null,
    (error: unknown) => error,
  );
}
