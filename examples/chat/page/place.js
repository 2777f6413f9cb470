import { useSyncExternalStore } from 'react';

/**
 * The part of the page that the user sees; it is stored in the address, so that a reload keeps it.
 * @typedef {{ page: 'chats' | 'approvals' | 'automations' | 'wallet' | 'new' } | { page: 'chat', id: string }} Place
 */

const pages = /** @type {const} */ (['approvals', 'automations', 'wallet', 'new']);

/** @returns {Place} */
export function usePlace() {
  const hash = useSyncExternalStore(subscribe, () => location.hash);
  const [, name = '', id = ''] = hash.split('/');
  if (name === 'chat' && /^[0-9a-f-]{36}$/.test(id)) return { page: 'chat', id };
  return { page: pages.find((page) => page === name) ?? 'chats' };
}

/** @param {string} path such as `approvals`, or `chat/<id>` */
export function goTo(path) {
  location.hash = `#/${path}`;
}

/** @param {() => void} changed */
function subscribe(changed) {
  addEventListener('hashchange', changed);
  return () => removeEventListener('hashchange', changed);
}
