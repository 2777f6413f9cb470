// What the service has acknowledged, for the audit.

/** Every acknowledgement that the audit holds against what is recorded. */
export class Ledger {
  /** By id: whose it is, the runs that were accepted in it, its last title, and how its approvals were decided. */
  conversations = new Map();
  /** Those that must have fired once. */
  automations = [];
  /** The newest conversation of each user. */
  newest = new Map();

  created(user, conversationId) {
    this.newest.set(user, conversationId);
    this.conversations.set(conversationId, { user, runs: [], title: null, decisions: new Map() });
  }

  started(conversationId, { runId, seq }) {
    this.conversations.get(conversationId).runs.push({ runId, seq });
  }

  renamed(conversationId, title) {
    this.conversations.get(conversationId).title = title;
  }

  decided(conversationId, approvalId, status) {
    this.conversations.get(conversationId).decisions.set(approvalId, status);
  }

  mustFire(user, automationId) {
    this.automations.push({ user, automationId });
  }
}
