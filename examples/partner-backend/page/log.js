import { approvalCard } from './approval-card.js';
import { announce, make } from './elements.js';

/** @typedef {import('./journal.js').Item} Item */

/** Within this distance the user counts as being at the end. */
const nearlyPixels = 80;

/** Descriptions of used tools, by the tool's name. */
const toolWords = new Map([
  ['wallet_balances', 'Read your wallet'],
  ['token_price', 'Read a price'],
  ['intents_transfer', 'Prepared a transfer'],
  ['automation_create', 'Wrote an automation'],
  ['automation_update', 'Changed an automation'],
  ['automation_list', 'Read your automations'],
  ['artifact_read', 'Read a file'],
  ['current_time', 'Read the clock'],
]);
const outcomeWords = new Map([
  ['error', 'it failed'],
  ['denied', 'you said no'],
  ['expired', 'its time was over'],
]);

/**
 * Shows a conversation's items in a list, each in an element of its own that is updated with it.
 * @param {HTMLElement} list
 * @param {HTMLElement} pane scrolls the list; it stays at the end unless the user scrolled away from there
 */
export function createLog(list, pane) {
  /** @type {Map<string, (item: any) => void>} */
  const updates = new Map();
  let isAtEnd = true;
  pane.addEventListener('scroll', () => {
    isAtEnd = endOf(pane) - pane.scrollTop < nearlyPixels;
  });
  const growth = new ResizeObserver(() => {
    if (isAtEnd) pane.scrollTop = endOf(pane);
  });
  for (const part of [pane, ...pane.children]) growth.observe(part);

  return {
    /** @param {Item} item */
    show(item) {
      let update = updates.get(item.key);
      if (update === undefined) {
        const place = placeFor(item);
        update = place.update;
        updates.set(item.key, update);
        list.append(place.element);
      }
      update(item);
    },

    clear() {
      updates.clear();
      list.replaceChildren();
      isAtEnd = true;
    },
  };
}

/**
 * Returns the scroll position that shows the newest items: the end, but not past the beginning of a pending approval.
 * @param {HTMLElement} pane
 */
function endOf(pane) {
  const end = pane.scrollHeight - pane.clientHeight;
  const asking = pane.querySelector('.approval[data-status="pending"]');
  if (asking === null) return end;
  const top = asking.getBoundingClientRect().top - pane.getBoundingClientRect().top + pane.scrollTop;
  return Math.min(end, top);
}

/**
 * @param {Item} item
 * @returns {{ element: HTMLElement, update: (item: any) => void }}
 */
function placeFor(item) {
  switch (item.kind) {
    case 'said':
      return saidPlace(item);
    case 'tool':
      return toolPlace();
    case 'approval': {
      const card = approvalCard(item);
      return { element: make('li', { class: 'asked' }, card.element), update: card.update };
    }
    case 'note':
      return {
        element: make('li', { class: item.isProblem ? 'note problem' : 'note quiet small' }, item.text),
        update: () => undefined,
      };
  }
}

/** @param {import('./journal.js').Said} first */
function saidPlace({ by, key }) {
  const text = make('p', { class: 'text' });
  const who = make('span', { class: 'unseen' }, by === 'user' ? 'You said: ' : 'The agent said: ');
  const element = make('li', { class: `said ${by}`, 'data-item': key }, who, text);
  let length = 0;

  /** @param {import('./journal.js').Said} said */
  function update({ text: words, complete }) {
    const isFresh = element.dataset.complete === undefined;
    const wasBusy = element.getAttribute('aria-busy') === 'true';
    if (complete) {
      if (text.textContent !== words) text.textContent = words;
      if (wasBusy) announce(words); // once and whole, not word by word
    } else {
      text.append(make('span', { class: 'word' }, words.slice(length)));
      length = words.length;
    }
    element.setAttribute('aria-busy', String(!complete));
    if (isFresh || complete) element.dataset.complete = String(complete);
  }
  return { element, update };
}

function toolPlace() {
  const element = make('li', { class: 'tool quiet small' });
  /** @param {import('./journal.js').Tool} call */
  function update({ tool, outcome }) {
    const words = toolWords.get(tool) ?? `Used ${tool}`;
    const ending = outcome === null ? '…' : outcomeWords.has(outcome) ? `: ${outcomeWords.get(outcome)}` : '';
    element.textContent = words + ending;
    element.dataset.outcome = outcome ?? 'open';
  }
  return { element, update };
}
