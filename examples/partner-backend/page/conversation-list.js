import { call } from './backend.js';
import { byId, make } from './elements.js';

const states = new Map([
  ['running', 'working'],
  ['awaiting_approval', 'needs you'],
]);

/**
 * The list at the side, most recently active first.
 * @param {() => string | null} openId the conversation that is open now
 */
export function conversationList(openId) {
  const list = byId('conversations', HTMLElement);
  const more = byId('more-conversations', HTMLButtonElement);
  /** @type {any[]} */
  let conversations = [];
  /** @type {string | null} */
  let nextCursor = null;

  function show() {
    list.replaceChildren(...conversations.map((conversation) => line(conversation, conversation.id === openId())));
    more.hidden = nextCursor === null;
  }

  /** Reads the first page again. */
  async function refresh() {
    ({ data: conversations, nextCursor } = await call('GET', '/api/conversations'));
    show();
  }

  more.addEventListener('click', async () => {
    if (nextCursor === null) return;
    const page = await call('GET', `/api/conversations?cursor=${encodeURIComponent(nextCursor)}`);
    conversations = [...conversations, ...page.data];
    nextCursor = page.nextCursor;
    show();
  });
  return { refresh, show };
}

/**
 * @param {{ id: string, title: string | null, status: string }} conversation
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
      make('span', { class: 'name' }, title ?? 'Untitled'),
      state === undefined ? null : make('span', { class: `badge ${status}` }, state),
    ),
  );
}
