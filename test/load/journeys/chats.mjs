// A user writes a message, and reads the answer to its end.
import { randomUUID } from 'node:crypto';
import { Failed } from '../client.mjs';
import { endOf, untilEvent } from './following.mjs';

/** A new conversation, a run in it, and its events until the run has ended. */
export const chats = {
  kind: 'chat',
  async run(operation) {
    const conversationId = await newConversation(operation);
    const runId = await startRun(operation, conversationId, 'repeat after me: good morning');
    const { status } = await untilEvent(operation, conversationId, endOf(runId));
    if (status !== 'completed') throw new Failed(`a run ended ${status}`);
  },
};

export async function newConversation({ user, ledger }) {
  const { id } = await user.post('/conversations', { title: 'Good morning' });
  ledger.created(user, id);
  return id;
}

/** Starts a run. The client chooses the id, so that a request whose answer was lost can be repeated. */
export async function startRun({ user, ledger }, conversationId, text) {
  const asked = { conversationId, runId: randomUUID(), input: { text } };
  const { runId, seq } = await user.post('/agent-runs', asked);
  ledger.started(conversationId, { runId, seq });
  return runId;
}
