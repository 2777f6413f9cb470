import { call } from './backend.js';
import { byId, make } from './elements.js';
import { erasedText, wordsOr } from './erased.js';

const states = new Map([
  ['running', 'working'],
  ['awaiting_approval', 'needs you'],
]);

/**
 * The list of conversations at the side, most recently active first.
 * @param {() => Pick<import('@parley/client').Schemas['Conversation'], 'id' | 'status'> | null} opened returns the open conversation, with the status of its journal, which is newer
 */
export function conversationList(opened) {
  const list = byId('conversations', HTMLElement);
  const more = byId('more-conversations', HTMLButtonElement);
  /** @type {import('@parley/client').Schemas['Conversation'][]} */
  let conversations = [];
  /** @type {string | null} */
  let nextCursor = null;
  let asked = 0;

  function show() {
    const open = opened();
    const lines = conversations.map((one) =>
      one.id === open?.id ? line({ ...one, ...open }, true) : line(one, false),
    );
    list.replaceChildren(...(lines.length === 0 ? [make('li', { class: 'quiet small' }, 'None yet')] : lines));
    more.hidden = nextCursor === null;
  }

  /** Reads the first page again. */
  async function refresh() {
    const turn = (asked += 1);
    const page = await call('GET', '/api/conversations');
    if (turn !== asked) return; // requested again meanwhile
    ({ data: conversations, nextCursor } = page);
    show();
  }

  more.addEventListener('click', async () => {
    if (nextCursor === null) return;
    const page = await call('GET', `/api/conversations?cursor=${encodeURIComponent(nextCursor)}`);
    conversations = [...conversations, ...page.data];
    nextCursor = page.nextCursor;
    show();
  });
  return {
    refresh,
    show,
    clear() {
      asked += 1;
      conversations = [];
      show();
    },
  };
}

/**
 * @param {Pick<import('@parley/client').Schemas['Conversation'], 'id' | 'title' | 'status'>} conversation
 * @param {boolean} isOpen
 */
function line({ id, title, status }, isOpen) {
  const state = states.get(status);
  return make(
    'li',
    {},
    make(
      'a',
      { href: `#${id}`, 'aria-current': isOpen ? 'page' : null },
      make('span', { class: 'name' }, wordsOr(title, erasedText) ?? 'Untitled'),
      state === undefined ? null : make('span', { class: `badge ${status}` }, state),
    ),
  );
}
