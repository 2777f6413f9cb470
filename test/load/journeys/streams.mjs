// A user leaves a conversation open in a window, loses the connection, and reconnects.
import { newConversation } from './chats.mjs';
import { Follower } from './following.mjs';

const staysMs = { min: 2_000, max: 8_000 };

/**
 * Opens a stream, keeps it for a while, loses the connection, misses an event, and gets it after reconnecting with
 * Last-Event-ID.
 */
export const streams = {
  kind: 'stream',
  async run(operation) {
    const { user, ledger } = operation;
    const conversationId = await newConversation(operation);
    const follower = new Follower(operation, conversationId);
    try {
      await follower.until(({ seq }) => seq);
      await operation.rest(staysMs.min + Math.random() * (staysMs.max - staysMs.min));
      follower.disconnect();
      const title = 'Renamed while nobody looked';
      await operation.insist(() => user.ask('PATCH', `/conversations/${conversationId}`, { title }));
      ledger.renamed(conversationId, title);
      await follower.until(({ payload }) => (payload.title === title ? true : null));
    } finally {
      follower.close();
    }
  },
};
