import { make } from './elements.js';
import { scaled } from './money.js';
import { nameOf } from './wallet.js';

/**
 * @typedef {{ pinned: { tokenId: string, decimals: number } } | { any: true }} Choice
 * @typedef {{ kind: string, amountRaw?: string, value?: string, bps?: string }} Quantity
 * @typedef {{ kind: string, input: Choice, output?: Choice, quantity: Quantity }} Action
 */

/**
 * One action of a contract: in words, and beside them exactly what is authorized, in the token's own units.
 * @param {Action} action
 */
export function describeAction(action) {
  const { input, output, quantity } = action;
  const facts = [exactQuantity(quantity), ...choiceFacts(output ? 'From' : 'Token', input)];
  if (output) facts.push(...choiceFacts('To', output));
  return make(
    'li',
    {},
    make('p', { class: 'action' }, sentence(action)),
    make('dl', { class: 'facts' }, ...facts.flat()),
  );
}

/** @param {Action} action */
function sentence({ kind, input, output, quantity }) {
  switch (kind) {
    case 'withdraw_to_owner':
      return `Withdraw ${amount(quantity, input)} to your main account`;
    case 'swap':
      return quantity.kind === 'exact_output_tokens'
        ? `Swap as much ${token(input)} as it takes to receive ${amount(quantity, output)}`
        : `Swap ${amount(quantity, input)} to ${token(output)}`;
    default:
      return kind; // a kind that this page does not know: its name, and every fact below
  }
}

/**
 * @param {Quantity} quantity
 * @param {Choice | undefined} side the token that is counted
 */
function amount({ kind, amountRaw = '', value = '', bps = '' }, side) {
  switch (kind) {
    case 'exact_input_tokens':
    case 'exact_output_tokens':
      return side && 'pinned' in side
        ? `${scaled(amountRaw, side.pinned.decimals)} ${token(side)}`
        : `${amountRaw} units`;
    case 'exact_input_value_usd':
      return `$${value} of ${token(side)}`;
    case 'fraction_of_input':
      return `${scaled(bps, 2)}% of ${token(side)}`;
    case 'all_of_input':
      return `all ${token(side)}`;
    default:
      return kind;
  }
}

/** @param {Choice | undefined} choice */
function token(choice) {
  return choice && 'pinned' in choice ? nameOf(choice.pinned.tokenId) : 'your most valuable token';
}

/** @param {Quantity} quantity */
function exactQuantity({ kind, amountRaw, value, bps }) {
  if (amountRaw !== undefined) return fact('Raw units', amountRaw);
  if (value !== undefined) return fact('Worth', `$${value} at the price of that moment`);
  return fact('Quantity', bps === undefined ? kind.replaceAll('_', ' ') : `${bps} basis points of what is held then`);
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
 * A labelled value, for a `dl`.
 * @param {string} label
 * @param {string | Node} value
 */
export function fact(label, value) {
  return [make('dt', {}, label), make('dd', {}, value)];
}
