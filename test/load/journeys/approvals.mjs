// A user asks for money to be moved, and decides on the agent's request.
import { Failed } from '../client.mjs';
import { newConversation, startRun } from './chats.mjs';
import { endOf, Follower } from './following.mjs';

/** The share of approvals that are approved; the others are denied. */
const approvedShare = 0.5;

/**
 * A run that asks for consent, the decision, and the run's end. A wallet's initial balance is enough for 25,000 of
 * these.
 */
export const approvals = {
  kind: 'approval',
  async run(operation) {
    const { user, ledger } = operation;
    const conversationId = await newConversation(operation);
    const runId = await startRun(operation, conversationId, 'withdraw 0.01 USDC');
    const follower = new Follower(operation, conversationId);
    try {
      const approvalId = await follower.until(openedOf(runId));
      const status = Math.random() < approvedShare ? 'approved' : 'denied';
      await operation.insist(() => decide(user, approvalId, status));
      ledger.decided(conversationId, approvalId, status);
      await follower.until(endOf(runId));
    } finally {
      follower.close();
    }
  },
};

async function decide(user, approvalId, status) {
  if (status === 'denied') return user.post(`/approvals/${approvalId}/deny`, { reason: 'not today' });
  const { fingerprint } = await user.get(`/approvals/${approvalId}`);
  return user.post(`/approvals/${approvalId}/approve`, { fingerprint });
}

/** Finds the approval that the run waits for. Throws if the run ended without asking. */
const openedOf =
  (runId) =>
  ({ payload }) => {
    if (endOf(runId)({ payload })) throw new Failed(`a run ended ${payload.status} without asking for consent`);
    return payload.type === 'run.suspended' ? payload.approvalIds[0] : null;
  };
