import { approvalCard } from './approval-card.js';
import { call } from './backend.js';
import { announce, byId } from './elements.js';
import { asked } from './journal.js';

/**
 * Approvals that belong to no conversation, such as the contract of an automation. No journal on this page reports them, so they
 * are requested.
 */
export function waitingList() {
  const place = byId('waiting', HTMLElement);
  /** @type {Map<string, HTMLElement>} */
  const cards = new Map();

  async function refresh() {
    /** @type {import('@parley/client').Schemas['ApprovalPage']} */
    const { data } = await call('GET', '/api/approvals');
    const ids = data.filter(({ conversationId }) => conversationId === null).map(({ id }) => id);
    for (const [id, card] of cards) if (!ids.includes(id)) remove(id, card);
    for (const id of ids) if (!cards.has(id)) add(id);
  }

  /** @param {string} approvalId */
  function add(approvalId) {
    const item = asked(approvalId, null);
    const card = approvalCard(item);
    cards.set(approvalId, card.element);
    place.append(card.element);
    card.update(item);
  }

  /**
   * @param {string} id
   * @param {HTMLElement} card
   */
  function remove(id, card) {
    card.remove();
    cards.delete(id);
    announce('Your decision is recorded.');
  }

  place.addEventListener('decided', () => void refresh().catch(() => undefined)); // then it is shown at the next refresh
  return {
    refresh,
    clear() {
      cards.clear();
      place.replaceChildren();
    },
  };
}
