import { unreachable, type Instant } from '@app/kernel';
import { unscaledAmount } from './amounts';
import {
  usesPerOccurrenceOf,
  type Contract,
  type ContractAction,
  type ContractBounds,
  type Quantity,
  type TokenChoice,
} from './contract';
import { capitalize, summaryOf, termsOf, type ConsentWords, type Quoted, type Term } from './terms';
import { namesIn, type NameOf, type SymbolOf } from './token-names';

/** The rule that a contract gives authority to. */
export interface ContractRule {
  /** What wakes it and what must hold then: `every day at 09:00 (UTC), if the price of wNEAR is below $2`. */
  readonly acts: string;
  /** What its agent is asked to do. */
  readonly task: string;
}

/** How tokens are named, from the plainest words to those that leave the most room. No term is ever cut. */
interface Style {
  readonly nameLengthMax: number;
  readonly anyInput: string;
  readonly anyOutput: string;
}
const plain = { anyInput: 'your most valuable token', anyOutput: 'your most valuable other token' };
const terse = { anyInput: 'any token', anyOutput: 'any other' };
const styles: readonly Style[] = [
  { ...plain, nameLengthMax: Infinity },
  { ...plain, nameLengthMax: 40 },
  { ...terse, nameLengthMax: 20 },
  { ...terse, nameLengthMax: 14 },
];

/**
 * What a user is asked about a contract: what moves, how much at most, how often and until when, and then the rest, in whole sentences
 * of at most 2,000 characters. Where that is tight, tokens' ids are shown by their two ends; the terms name them whole. A contract without a
 * rule always fits in; null when its tokens cannot be told apart then, or the rule's words leave no room: what cannot be shown whole
 * must not be asked for (docs/decisions/approvals.md).
 */
export function contractWords(
  contract: Contract,
  symbolOf: SymbolOf,
  rule: ContractRule | null = null,
): ConsentWords | null {
  const quoted = rule && { lead: 'Its task', text: rule.task };
  const summary = fitting(contract, symbolOf, (words) => [...words, ...actsSentence(rule)], quoted);
  return summary === null ? null : { summary, terms: contractTerms(contract, symbolOf, rule?.acts) };
}

/** The first wording of a contract in which everything that is said fits into a summary. */
export function fitting(
  contract: Contract,
  symbolOf: SymbolOf,
  said: (words: readonly string[]) => readonly string[],
  quoted: Quoted | null,
): string | null {
  for (const style of styles) {
    const nameOf = namesIn(contract, symbolOf, style.nameLengthMax);
    const summary = nameOf && summaryOf(said(contractSentences(contract, { ...style, nameOf })), quoted);
    if (summary !== null) return summary;
  }
  return null;
}

/** A contract in whole sentences, of any length. Null as the symbol of a token: it goes by its id. */
export function renderContract(contract: Contract, symbolOf: SymbolOf): string {
  return contractSentences(contract, wholeNames(contract, symbolOf)).join(' ');
}

/** A contract as a list; every token's id is whole. */
export function contractTerms(contract: Contract, symbolOf: SymbolOf, acts: string | null = null): readonly Term[] {
  const words = wholeNames(contract, symbolOf);
  const { actions, bounds } = contract;
  return termsOf({
    what: actionsClause(contract, words),
    'at most':
      bounds === undefined ? actions.map((action) => mostOf(action, words)).join(', then ') : mostClause(bounds),
    'how often': bounds === undefined ? 'once' : timesClause(bounds),
    'until when': bounds === undefined ? null : instantWords(bounds.notAfter),
    'when it acts': acts,
    'to whom': receivers(contract).join(' and '),
  });
}

/** `2026-12-01 09:00 UTC`; seconds only where there are some. */
export function instantWords(instant: Instant): string {
  return `${instant.slice(0, 10)} ${instant.slice(11, -1).replace(/(:00)?\.000$/, '')} UTC`;
}

interface Words extends Omit<Style, 'nameLengthMax'> {
  readonly nameOf: NameOf;
}

function wholeNames(contract: Contract, symbolOf: SymbolOf): Words {
  const nameOf = namesIn(contract, symbolOf);
  if (nameOf === null) throw new Error('two tokens have one id');
  return { ...plain, nameOf };
}

function contractSentences(contract: Contract, words: Words): readonly string[] {
  const { bounds } = contract;
  const often =
    bounds === undefined
      ? ', once'
      : `, for at most ${mostClause(bounds)}, ${timesClause(bounds)}, until ${instantWords(bounds.notAfter)}`;
  const stays = receivers(contract).includes(mainAccount) ? [] : [`What comes of it stays in ${agentWallet}.`];
  return [`${capitalize(actionsClause(contract, words))}${often}.`, ...stays];
}

function actsSentence(rule: ContractRule | null): readonly string[] {
  return rule === null ? [] : [`It acts ${rule.acts}.`];
}

function actionsClause({ actions }: Contract, words: Words): string {
  return actions.map((action) => actionClause(action, words)).join(', then ');
}

function actionClause(action: ContractAction, words: Words): string {
  switch (action.kind) {
    case 'swap': {
      const { input, output, quantity } = action;
      const target = 'pinned' in output ? words.nameOf(output.pinned) : words.anyOutput;
      if (quantity.kind !== 'exact_output_tokens') return `swap ${inputWords(quantity, input, words)} to ${target}`;
      return `swap at most ${mostOf(action, words)} to receive ${amountWords(quantity.amountRaw, output, words)}`;
    }
    case 'withdraw_to_owner':
      return `withdraw ${inputWords(action.quantity, action.input, words)} to ${mainAccount}`;
    default:
      return unreachable(action);
  }
}

/** The most that an action takes: what it says, or all that is held where only the output is fixed. */
function mostOf({ quantity, input }: ContractAction, words: Words): string {
  const all = quantity.kind === 'exact_output_tokens' ? { kind: 'all_of_input' as const } : quantity;
  return inputWords(all, input, words);
}

type InputQuantity = Exclude<Quantity, { readonly kind: 'exact_output_tokens' }>;

function inputWords(quantity: InputQuantity, input: TokenChoice, words: Words): string {
  const token = 'pinned' in input ? words.nameOf(input.pinned) : words.anyInput;
  switch (quantity.kind) {
    case 'exact_input_tokens':
      return amountWords(quantity.amountRaw, input, words);
    case 'exact_input_value_usd':
      return `$${quantity.value} of ${'pinned' in input || token === terse.anyInput ? token : `${token} that covers it`}`;
    case 'all_of_input':
      return `all ${'pinned' in input ? token : `of ${token}`}`;
    case 'fraction_of_input':
      return `${unscaledAmount(quantity.bps, 2)}% of ${token}`;
    default:
      return unreachable(quantity);
  }
}

/** An explicit amount is of a pinned token; the parser sees to that. */
function amountWords(amountRaw: string, choice: TokenChoice, { nameOf, anyInput }: Words): string {
  if (!('pinned' in choice)) return `${amountRaw} units of ${anyInput}`;
  return `${unscaledAmount(amountRaw, choice.pinned.decimals)} ${nameOf(choice.pinned)}`;
}

function mostClause({ perUseUsd, totalUsd }: ContractBounds): string {
  return `$${perUseUsd} each time and $${totalUsd} in all`;
}

/** How often in all, and how often one occurrence may. */
function timesClause(bounds: ContractBounds): string {
  const { maxUses } = bounds;
  if (maxUses === 1) return 'once';
  const each = usesPerOccurrenceOf(bounds);
  return `${maxUses} times at most, ${each === 1 ? 'once' : `at most ${each} times`} each time it acts`;
}

const agentWallet = 'your agent wallet';
const mainAccount = 'your main account';

/** What is swapped stays in the wallet; what is withdrawn goes to its owner. */
function receivers({ actions }: Contract): readonly string[] {
  const is = (kind: ContractAction['kind']) => actions.some((action) => action.kind === kind);
  return [...(is('swap') ? [agentWallet] : []), ...(is('withdraw_to_owner') ? [mainAccount] : [])];
}
