/** @typedef {Node | string | null | undefined} Child text is only ever text: nothing from outside can become markup */

/**
 * A new element with attributes (absent when null or false) and children.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string | boolean | null>} [attributes]
 * @param {Child[]} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
}

/**
 * Puts these children in place of those that an element has.
 * @param {HTMLElement} element
 * @param {Child[]} children
 */
export function fill(element, ...children) {
  element.replaceChildren(...children.filter((child) => child != null));
}

/**
 * The element of the page with this id.
 * @template {HTMLElement} Kind
 * @param {string} id
 * @param {{ new (): Kind }} kind
 * @returns {Kind}
 */
export function byId(id, kind) {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`the page has no ${id}`);
  return element;
}

/**
 * Shows a problem's words in its place, or takes them away.
 * @param {HTMLElement} place
 * @param {string | null} words
 */
export function showProblem(place, words) {
  place.textContent = words;
  place.hidden = words === null;
}

/**
 * Says something to those who listen to the page instead of looking at it.
 * @param {string} words
 */
export function announce(words) {
  byId('announcer', HTMLElement).textContent = words;
}
