import { codePointLength, unreachable } from '@app/kernel';
import { unscaledAmount } from './amounts';
import type { Contract, ContractAction, ContractBounds, PinnedToken, Quantity, TokenChoice } from './contract';

/** The longest sentence, in code points. */
const sentenceLengthMax = 320;
/** A token's id longer than this is shown by its two ends. */
const shownTokenIdLengthMax = 60;
/** A symbol comes from a provider: only one that cannot pass for a part of the sentence is shown. */
const plainSymbol = /^[A-Za-z0-9$₮]{1,12}(?:[.+-][A-Za-z0-9]{1,12})?$/;

/** How the sentence names a token. */
type NameOf = (token: PinnedToken) => string;

/**
 * One plain sentence of at most 320 characters that says what a contract does. When not all actions fit in, the first ones are
 * told and the others counted; nothing is cut in the middle.
 *
 * @param symbolOf the provider's symbol of a token, or null. A symbol that two tokens of the contract share, or that is no plain
 *   word, is not used: the token is named by its id.
 */
export function renderContract(contract: Contract, symbolOf: (tokenId: string) => string | null): string {
  const nameOf = namesIn(contract, symbolOf);
  const clauses = contract.actions.map((action) => clauseOf(action, nameOf));
  const ending = contract.bounds === undefined ? '.' : `${boundsClause(contract.bounds)}.`;
  for (let told = clauses.length; told > 0; told -= 1) {
    const sentence = sentenceOf(clauses, told) + ending;
    if (codePointLength(sentence) <= sentenceLengthMax) return sentence;
  }
  return `Carry out ${counted(clauses.length, 'action')}${ending}`;
}

function sentenceOf(clauses: readonly string[], told: number): string {
  const rest = clauses.length - told;
  const parts = [...clauses.slice(0, told), ...(rest === 0 ? [] : [`carry out ${counted(rest, 'more action')}`])];
  const text = parts.join(', then ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function clauseOf(action: ContractAction, nameOf: NameOf): string {
  switch (action.kind) {
    case 'swap':
      return swapClause(action, nameOf);
    case 'withdraw_to_owner':
      return `withdraw ${inputWords(action.quantity, action.input, nameOf)} to your main account`;
    default:
      return unreachable(action);
  }
}

function swapClause({ input, output, quantity }: Extract<ContractAction, { kind: 'swap' }>, nameOf: NameOf): string {
  const target = 'pinned' in output ? nameOf(output.pinned) : 'your most valuable other token';
  if (quantity.kind !== 'exact_output_tokens') return `swap ${inputWords(quantity, input, nameOf)} to ${target}`;
  const source = 'pinned' in input ? nameOf(input.pinned) : 'your most valuable token';
  return `swap as much of ${source} as it takes to receive ${amountWords(quantity.amountRaw, output, nameOf)}`;
}

type InputQuantity = Exclude<Quantity, { readonly kind: 'exact_output_tokens' }>;

function inputWords(quantity: InputQuantity, input: TokenChoice, nameOf: NameOf): string {
  const token = 'pinned' in input ? nameOf(input.pinned) : 'your most valuable token';
  switch (quantity.kind) {
    case 'exact_input_tokens':
      return amountWords(quantity.amountRaw, input, nameOf);
    case 'exact_input_value_usd':
      return `$${quantity.value} of ${'pinned' in input ? token : 'your most valuable token that covers it'}`;
    case 'all_of_input':
      return `all ${'pinned' in input ? token : 'of your most valuable token'}`;
    case 'fraction_of_input':
      return `${unscaledAmount(quantity.bps, 2)}% of ${token}`;
    default:
      return unreachable(quantity);
  }
}

/** An explicit amount is of a pinned token; the parser sees to that. */
function amountWords(amountRaw: string, choice: TokenChoice, nameOf: NameOf): string {
  if (!('pinned' in choice)) return `${amountRaw} units of your most valuable token`;
  return `${unscaledAmount(amountRaw, choice.pinned.decimals)} ${nameOf(choice.pinned)}`;
}

function boundsClause({ maxUses, perUseUsd, totalUsd, notAfter }: ContractBounds): string {
  return `, ${counted(maxUses, 'time')} at most until ${notAfter}, for up to $${perUseUsd} each and $${totalUsd} in all`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function namesIn({ actions }: Contract, symbolOf: (tokenId: string) => string | null): NameOf {
  const sides = actions.flatMap((action) => (action.kind === 'swap' ? [action.input, action.output] : [action.input]));
  const tokenIds = new Set(sides.flatMap((side) => ('pinned' in side ? [side.pinned.tokenId] : [])));
  const symbols = [...tokenIds].map((tokenId) => symbolOf(tokenId));
  return ({ tokenId }) => {
    const symbol = symbolOf(tokenId);
    const ambiguous = symbols.filter((other) => other === symbol).length > 1;
    return symbol === null || ambiguous || !plainSymbol.test(symbol) ? shownTokenId(tokenId) : symbol;
  };
}

function shownTokenId(tokenId: string): string {
  if (tokenId.length <= shownTokenIdLengthMax) return tokenId;
  const shown = shownTokenIdLengthMax / 2 - 1;
  return `${tokenId.slice(0, shown)}…${tokenId.slice(-shown)}`;
}
