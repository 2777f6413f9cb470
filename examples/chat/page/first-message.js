/** What was written before its conversation was there; taken by the conversation's page, once. */
const waiting = new Map();

/**
 * @param {string} conversationId
 * @param {string} text
 */
export function leaveFirstMessage(conversationId, text) {
  waiting.set(conversationId, text);
}

/**
 * @param {string} conversationId
 * @returns {string | null}
 */
export function takeFirstMessage(conversationId) {
  const text = waiting.get(conversationId) ?? null;
  waiting.delete(conversationId);
  return text;
}
