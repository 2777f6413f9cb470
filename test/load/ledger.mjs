// The acknowledgements of the service, for the audit.

/** All acknowledgements that the audit compares with the recorded events. */
export class Ledger {
  /** By conversation id: the owner, the accepted runs, the last title, and the decisions on its approvals. */
  conversations = new Map();
  /** Automations that must have fired once. */
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
