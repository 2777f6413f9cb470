import { fact } from './contract-words.js';
import { make } from './elements.js';

/**
 * A JSON value as people read it: members by their names, items one below the other, a text as it is.
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
