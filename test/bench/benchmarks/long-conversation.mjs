import { longConversation, newConversation } from '../conversations.mjs';
import { jsonBody, requestsPerSecond } from '../http-load.mjs';

const titles = ['Quarterly report for the board', 'Annual report for the board'];

/**
 * Commands on a conversation with a long journal, one after the other, against the same commands on a new conversation.
 */
export const longJournal = {
  number: 14,
  name: 'a command on a long conversation',
  against: 'the same on a new conversation',
  figures: [{ key: 'tookMs', unit: 'ms', better: 'less', aim: 1.1, floor: 1.5 }],

  async open(deployment, { journalEvents, seconds }) {
    const user = await deployment.newUser('long-journal');
    const long = await longConversation(deployment, user, journalEvents);
    const rename = async (id) => {
      const requests = titles.map((title) => {
        const { body, headers } = jsonBody({ title });
        const path = `${new URL(user.url).pathname}/conversations/${id}`;
        return { method: 'PATCH', path, headers: { ...user.headers, ...headers }, body };
      });
      const rate = await requestsPerSecond({ url: deployment.baseUrl, requests, connections: 1, seconds });
      return { tookMs: 1000 / rate };
    };
    return {
      ours: () => rename(long),
      baseline: async () => rename(await newConversation(user)),
      close: async () => undefined,
    };
  },
};
