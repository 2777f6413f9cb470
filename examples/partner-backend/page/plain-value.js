import { fact } from './contract-words.js';
import { make } from './elements.js';

/**
 * Returns a JSON value in readable form: members with their names, items one below the other, texts unchanged.
 * @param {unknown} value
 * @returns {HTMLElement}
 */
export function plainValue(value) {
  if (Array.isArray(value)) return make('ul', {}, ...value.map((item) => make('li', {}, plainValue(item))));
  if (typeof value !== 'object' || value === null) return make('span', {}, value === null ? 'nothing' : String(value));
  return make(
    'dl',
    { class: 'facts' },
    ...Object.entries(value).flatMap(([name, member]) => fact(name, plainValue(member))),
  );
}
