import { make } from './elements.js';
import { scaled } from './money.js';
import { nameOf } from './wallet.js';

/**
 * @typedef {import('@parley/client').Schemas['Contract']['actions'][number]} Action
 * @typedef {Action['input']} Choice a specific token, or any that the wallet holds
 * @typedef {Action['quantity']} Quantity
 */

/**
 * Describes one action of a contract: in words, followed by exactly what is authorized, in the token's own units.
 * @param {Action} action
 */
export function describeAction(action) {
  const facts = [
    exactQuantity(action.quantity),
    ...choiceFacts(action.kind === 'swap' ? 'From' : 'Token', action.input),
  ];
  if (action.kind === 'swap') facts.push(...choiceFacts('To', action.output));
  return make(
    'li',
    {},
    make('p', { class: 'action' }, sentence(action)),
    make('dl', { class: 'facts' }, ...facts.flat()),
  );
}

/** @param {Action} action */
function sentence(action) {
  if (action.kind === 'withdraw_to_owner')
    return `Withdraw ${amount(action.quantity, action.input)} to your main account`;
  const { input, output, quantity } = action;
  return quantity.kind === 'exact_output_tokens'
    ? `Swap as much ${token(input)} as it takes to receive ${amount(quantity, output)}`
    : `Swap ${amount(quantity, input)} to ${token(output)}`;
}

/**
 * @param {Quantity} quantity
 * @param {Choice} side the token that is counted
 */
function amount(quantity, side) {
  switch (quantity.kind) {
    case 'exact_input_tokens':
    case 'exact_output_tokens':
      return 'pinned' in side
        ? `${scaled(quantity.amountRaw, side.pinned.decimals)} ${token(side)}`
        : `${quantity.amountRaw} units of ${token(side)}`;
    case 'exact_input_value_usd':
      return `$${quantity.value} of ${token(side)}`;
    case 'fraction_of_input':
      return `${scaled(quantity.bps, 2)}% of ${token(side)}`;
    case 'all_of_input':
      return `all ${token(side)}`;
  }
}

/** @param {Choice} choice */
function token(choice) {
  return 'pinned' in choice ? nameOf(choice.pinned.tokenId) : 'your most valuable token';
}

/** @param {Quantity} quantity */
function exactQuantity(quantity) {
  switch (quantity.kind) {
    case 'exact_input_tokens':
    case 'exact_output_tokens':
      return fact('Raw units', quantity.amountRaw);
    case 'exact_input_value_usd':
      return fact('Worth', `$${quantity.value} at the price of that moment`);
    case 'fraction_of_input':
      return fact('Quantity', `${quantity.bps} basis points of what is held then`);
    case 'all_of_input':
      return fact('Quantity', 'all that is held then');
  }
}

/**
 * @param {string} label
 * @param {Choice} choice
 */
function choiceFacts(label, choice) {
  if (!('pinned' in choice)) return [fact(label, 'any token that the wallet holds')];
  return [fact(label, make('code', {}, choice.pinned.tokenId)), fact('Decimals', String(choice.pinned.decimals))];
}

/**
 * Returns a labelled value for a `dl`.
 * @param {string} label
 * @param {string | Node} value
 */
export function fact(label, value) {
  return [make('dt', {}, label), make('dd', {}, value)];
}
