/** @typedef {Node | string | null | undefined} Child texts are inserted only as text: no outside content can become markup */

/**
 * Returns a new element with attributes (absent when null or false) and children.
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
 * Replaces the children of an element.
 * @param {HTMLElement} element
 * @param {Child[]} children
 */
export function fill(element, ...children) {
  element.replaceChildren(...children.filter((child) => child != null));
}

/**
 * Returns the element of the page with this id. Throws if the page has none of that kind.
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
 * Shows a problem's message in its place, or hides the place for null.
 * @param {HTMLElement} place
 * @param {string | null} words
 */
export function showProblem(place, words) {
  place.textContent = words;
  place.hidden = words === null;
}

/**
 * Announces a text to users of screen readers.
 * @param {string} words
 */
export function announce(words) {
  byId('announcer', HTMLElement).textContent = words;
}
