/** @typedef {import('@parley/client').Erased} Erased */

/** The text that this page shows in place of erased words. */
export const erasedText = '[erased]';

/**
 * Returns the words of a member, or `instead` where the service has erased them: the page's own `wordsOr` of @parley/client, which runs in
 * the backend.
 * @template Value, Other
 * @param {Value} value
 * @param {Other} instead
 * @returns {Exclude<Value, Erased> | Other}
 */
export function wordsOr(value, instead) {
  const isErased = typeof value === 'object' && value !== null && 'erased' in value && value.erased === true;
  return isErased ? instead : /** @type {Exclude<Value, Erased>} it was just excluded */ (value);
}
