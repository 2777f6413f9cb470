import { call } from './backend.js';
import { describeAction, fact } from './contract-words.js';
import { decisionForm } from './decision-form.js';
import { announce, fill, make } from './elements.js';
import { erasedText, wordsOr } from './erased.js';
import { plainValue } from './plain-value.js';
import { balanceOf, nameOf, readWallet } from './wallet.js';

/**
 * @typedef {import('./journal.js').Asked} Asked
 * @typedef {import('@parley/client').Schemas['Approval']} Approval
 */

const headings = {
  pending: 'Your approval is needed',
  approved: 'Approved',
  denied: 'Denied',
  expired: 'Expired',
  settled: 'Approved and settled',
  failed: 'Approved, but it failed',
};

/**
 * Returns a card that asks for a decision and later shows its outcome.
 * @param {Asked} first
 */
export function approvalCard(first) {
  const heading = make('h2', { tabindex: '-1' });
  const review = make('div', { class: 'review' }, make('p', { class: 'quiet' }, 'Loading what is asked…'));
  const outcome = make('div', { class: 'outcome' });
  const element = make(
    'section',
    { class: 'card approval', 'data-approval': first.approvalId },
    heading,
    review,
    outcome,
  );
  /** @type {Map<string, import('./wallet.js').Asset> | null} */
  let before = null;
  /** @type {Promise<Approval> | null} */
  let reading = null;
  let shown = 0;

  /** @param {Asked} item */
  async function update(item) {
    const turn = (shown += 1);
    const state = item.settlement ?? item.status;
    element.dataset.status = state;
    heading.textContent = headings[state];
    if (item.status === 'pending') before = await readWallet().catch(() => null);
    reading ??= call('GET', `/api/approvals/${item.approvalId}`);
    const approval = await reading;
    if (turn !== shown) return; // a newer state was shown meanwhile
    if (review.dataset.ready === undefined) showReview(review, approval);
    const parts =
      item.status === 'pending' ? [decisionForm(approval, heading)] : await outcomeOf(item, approval, before);
    if (turn !== shown) return;
    fill(outcome, ...parts);
    if (item.status === 'pending' && isNobodyBusy()) heading.focus({ preventScroll: true });
  }

  return {
    element,
    /** @param {Asked} item */
    update(item) {
      update(item).catch((problem) => {
        reading = null;
        fill(outcome, make('p', { class: 'problem', role: 'alert' }, problem.message));
      });
    },
  };
}

/** Whether the focus can move to the question: the user is not writing, and nothing else has the focus. */
function isNobodyBusy() {
  const { activeElement } = document;
  const isEmpty = activeElement instanceof HTMLTextAreaElement && activeElement.value === '';
  return activeElement === null || activeElement === document.body || isEmpty;
}

/**
 * Shows exactly what would be done: in sentences, term by term, with the fingerprint that binds the decision to it. The data for
 * programs is last, collapsed.
 * @param {HTMLElement} review
 * @param {Approval} approval
 */
function showReview(review, approval) {
  const { contract, expiresAt, fingerprint, input, tool } = approval;
  const summary = wordsOr(approval.summary, erasedText);
  const terms = wordsOr(approval.terms, []);
  const expires = make('time', { datetime: expiresAt }, new Date(expiresAt).toLocaleString());
  review.dataset.ready = '';
  fill(
    review,
    make('p', { class: 'summary' }, summary),
    terms.length > 0 ? termList(terms) : contract === null ? plainValue(input) : null,
    make(
      'dl',
      { class: 'facts' },
      ...fact('Decide before', expires),
      ...fact('Fingerprint', make('code', {}, fingerprint)),
    ),
    make(
      'details',
      {},
      make('summary', {}, 'The request itself'),
      contract && make('ol', { class: 'actions' }, ...contract.actions.map(describeAction)),
      make('pre', { tabindex: '0' }, JSON.stringify({ tool, input }, null, 2)),
    ),
  );
  if (approval.status === 'pending') announce(`Your approval is needed. ${summary}`);
}

/**
 * Returns the terms line by line, in the order of the service.
 * @param {import('@parley/client').Schemas['ApprovalTerm'][]} terms
 */
function termList(terms) {
  const lines = terms.flatMap(({ name, text }) => fact(name.charAt(0).toUpperCase() + name.slice(1), text));
  return make('dl', { class: 'facts terms', 'aria-label': 'Exactly this is agreed to' }, ...lines);
}

/**
 * Returns the outcome of the decision. Whether money moved is read from the financial operation, because neither the decision nor
 * the end of the run says so.
 * @param {Asked} item
 * @param {Approval} reviewed the approval as it was read first
 * @param {Map<string, import('./wallet.js').Asset> | null} before the balances when the decision was asked for
 */
async function outcomeOf(item, reviewed, before) {
  if (item.status === 'expired') return [make('p', {}, 'Nobody decided in time. Nothing was done.')];
  if (item.status === 'denied') {
    /** @type {Approval} */
    const { denialReason } = await call('GET', `/api/approvals/${item.approvalId}`);
    return [
      make('p', {}, 'You said no. Nothing was done.'),
      denialReason === null ? null : make('p', { class: 'quiet' }, `“${wordsOr(denialReason, erasedText)}”`),
    ];
  }
  if (reviewed.contract === null) return [make('p', {}, 'You said yes.')];
  if (item.operationId === null) {
    return [make('p', {}, item.isOver ? 'You said yes, but it was not sent.' : 'You said yes. Sending it off…')];
  }
  if (item.settlement === null) return [make('p', {}, 'Sent. Waiting for the settlement…')];
  /** @type {[import('@parley/client').Schemas['FinancialOperation'], Map<string, import('./wallet.js').Asset>]} */
  const [operation, after] = await Promise.all([call('GET', `/api/operations/${item.operationId}`), readWallet()]);
  const failure = operation.failure === null ? '' : `: ${operation.failure.text}`;
  const words = item.settlement === 'settled' ? 'Settled: the money has moved.' : `It failed${failure}`;
  const references = operation.actions.flatMap(({ providerReference }) =>
    providerReference === null ? [] : fact('Reference', make('code', {}, providerReference)),
  );
  announce(words);
  return [
    make('p', { class: 'result' }, words),
    before === null ? null : balances(before, after),
    make('dl', { class: 'facts' }, ...references),
  ];
}

/**
 * @param {Map<string, import('./wallet.js').Asset>} before
 * @param {Map<string, import('./wallet.js').Asset>} after
 */
function balances(before, after) {
  const tokenIds = [...new Set([...before.keys(), ...after.keys()])];
  const moved = tokenIds.filter((id) => before.get(id)?.amountRaw !== after.get(id)?.amountRaw);
  const rows = moved.map((id) =>
    make(
      'tr',
      {},
      make('th', { scope: 'row' }, nameOf(id)),
      make('td', {}, balanceOf(before.get(id))),
      make('td', {}, balanceOf(after.get(id))),
    ),
  );
  const columns = ['Balance', 'Before', 'After'].map((name) => make('th', { scope: 'col' }, name));
  return make(
    'table',
    { class: 'balances' },
    make('thead', {}, make('tr', {}, ...columns)),
    make('tbody', {}, ...rows),
  );
}
