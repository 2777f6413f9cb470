/** First messages, written before their conversations existed; the page of each conversation takes its message once. */
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
