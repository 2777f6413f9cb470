import { capitalized, instantWords, joined, spelled, unreachable, words, type Words } from '@app/kernel';
import { unscaledAmount } from './amounts';
import { usesPerOccurrenceOf } from './contract';
import type { Contract, ContractAction, ContractBounds, Quantity, TokenChoice } from './contract';
import { summaryOf, taskSentence, termsOf, type ConsentWords, type Term } from './terms';
import { namesIn, type NameOf, type SymbolOf } from './token-names';

/** The rule that a contract gives authority to. */
export interface ContractRule {
  /** When it wakes, and the condition then: `every day at 09:00 (UTC), if the price of wNEAR is below $2`. */
  readonly acts: Words;
  /** The same with shortened quotations, for a summary that is too long otherwise. */
  readonly actsInShort: Words;
  /** The task of its agent. */
  readonly task: string;
  /** Its whole profile; null without one. */
  readonly asWhom: Words | null;
}

/** How tokens are named, from the plainest words to the shortest. No term is ever cut. */
interface Style {
  readonly nameLengthMax: number;
  readonly anyInput: Words;
  readonly anyOutput: Words;
}
const plain = { anyInput: words`your most valuable token`, anyOutput: words`your most valuable other token` };
const terse = { anyInput: words`any token`, anyOutput: words`any other` };
const styles: readonly Style[] = [
  { ...plain, nameLengthMax: Infinity },
  { ...plain, nameLengthMax: 40 },
  { ...terse, nameLengthMax: 20 },
  { ...terse, nameLengthMax: 14 },
];

/**
 * Consent text for a contract: the actions, their most, how often and until when, and then the rule, in whole sentences
 * of at most 2,000 characters. If it is too long, quotations are shortened and token ids show only their two ends; the
 * terms have them in full. A contract without a rule always fits; null when its shortened tokens are indistinguishable,
 * or the rule's words leave no room: a text that cannot be shown in full must not be asked about
 * (docs/decisions/approvals.md).
 */
export function contractWords(
  contract: Contract,
  symbolOf: SymbolOf,
  rule: ContractRule | null = null,
): ConsentWords | null {
  const others = rule === null ? [] : [taskSentence(rule.task)];
  const acts = rule === null ? [null] : [rule.acts, rule.actsInShort];
  const summary = firstOf(acts, (each) =>
    fitting(contract, symbolOf, (said) => [...said, ...actsSentence(each)], others),
  );
  return summary === null ? null : { summary, terms: contractTerms(contract, symbolOf, rule) };
}

/** The first result that is not null; null where there is none. */
export function firstOf<Item>(items: readonly Item[], made: (item: Item) => Words | null): Words | null {
  for (const item of items) {
    const found = made(item);
    if (found !== null) return found;
  }
  return null;
}

/** The contract in the first style in which the whole summary fits. @param others as in `summaryOf` */
export function fitting(
  contract: Contract,
  symbolOf: SymbolOf,
  said: (sentences: readonly Words[]) => readonly Words[],
  others: readonly Words[],
): Words | null {
  return firstOf(styles, (style) => {
    const nameOf = namesIn(contract, symbolOf, style.nameLengthMax);
    return nameOf && summaryOf(said(contractSentences(contract, { ...style, nameOf })), others);
  });
}

/** A contract in whole sentences, of any length. A token whose symbol is null is named by its id. */
export function renderContract(contract: Contract, symbolOf: SymbolOf): Words {
  return joined(contractSentences(contract, wholeNames(contract, symbolOf)), ' ');
}

/** A contract as a list; token ids are shown in full. */
export function contractTerms(
  contract: Contract,
  symbolOf: SymbolOf,
  rule: Pick<ContractRule, 'acts' | 'asWhom'> | null = null,
): readonly Term[] {
  const naming = wholeNames(contract, symbolOf);
  const { actions, bounds } = contract;
  return termsOf({
    what: actionsClause(contract, naming),
    'at most':
      bounds === undefined
        ? joined(
            actions.map((action) => mostOf(action, naming)),
            ', then ',
          )
        : mostClause(bounds),
    'how often': bounds === undefined ? words`once` : timesClause(bounds),
    'until when': bounds === undefined ? null : instantWords(bounds.notAfter),
    'when it acts': rule?.acts ?? null,
    'to whom': joined(receivers(contract), ' and '),
    'as whom': rule?.asWhom ?? null,
  });
}

interface Naming extends Omit<Style, 'nameLengthMax'> {
  readonly nameOf: NameOf;
}

function wholeNames(contract: Contract, symbolOf: SymbolOf): Naming {
  const nameOf = namesIn(contract, symbolOf);
  if (nameOf === null) throw new Error('two tokens have one id');
  return { ...plain, nameOf };
}

function contractSentences(contract: Contract, naming: Naming): readonly Words[] {
  const { bounds } = contract;
  const often =
    bounds === undefined
      ? words`, once`
      : words`, for at most ${mostClause(bounds)}, ${timesClause(bounds)}, until ${instantWords(bounds.notAfter)}`;
  const stays = receivers(contract).includes(mainAccount) ? [] : [words`What comes of it stays in ${agentWallet}.`];
  return [words`${capitalized(actionsClause(contract, naming))}${often}.`, ...stays];
}

function actsSentence(acts: Words | null): readonly Words[] {
  return acts === null ? [] : [words`It acts ${acts}.`];
}

function actionsClause({ actions }: Contract, naming: Naming): Words {
  return joined(
    actions.map((action) => actionClause(action, naming)),
    ', then ',
  );
}

function actionClause(action: ContractAction, naming: Naming): Words {
  switch (action.kind) {
    case 'swap': {
      const { input, output, quantity } = action;
      const target = 'pinned' in output ? naming.nameOf(output.pinned) : naming.anyOutput;
      if (quantity.kind !== 'exact_output_tokens')
        return words`swap ${inputWords(quantity, input, naming)} to ${target}`;
      const received = amountWords(quantity.amountRaw, output, naming);
      return words`swap at most ${mostOf(action, naming)} to receive ${received}`;
    }
    case 'withdraw_to_owner':
      return words`withdraw ${inputWords(action.quantity, action.input, naming)} to ${mainAccount}`;
    default:
      return unreachable(action);
  }
}

/** The most that an action takes: its own quantity, or all holdings where only the output is fixed. */
function mostOf({ quantity, input }: ContractAction, naming: Naming): Words {
  const all = quantity.kind === 'exact_output_tokens' ? { kind: 'all_of_input' as const } : quantity;
  return inputWords(all, input, naming);
}

type InputQuantity = Exclude<Quantity, { readonly kind: 'exact_output_tokens' }>;

function inputWords(quantity: InputQuantity, input: TokenChoice, naming: Naming): Words {
  const token = 'pinned' in input ? naming.nameOf(input.pinned) : naming.anyInput;
  switch (quantity.kind) {
    case 'exact_input_tokens':
      return amountWords(quantity.amountRaw, input, naming);
    case 'exact_input_value_usd': {
      const covering = 'pinned' in input || token === terse.anyInput ? token : words`${token} that covers it`;
      return words`$${spelled(quantity.value, 'decimal')} of ${covering}`;
    }
    case 'all_of_input':
      return 'pinned' in input ? words`all ${token}` : words`all of ${token}`;
    case 'fraction_of_input':
      return words`${spelled(unscaledAmount(quantity.bps, 2), 'decimal')}% of ${token}`;
    default:
      return unreachable(quantity);
  }
}

/** The parser ensures that an explicit amount has a pinned token. */
function amountWords(amountRaw: string, choice: TokenChoice, { nameOf, anyInput }: Naming): Words {
  if (!('pinned' in choice)) return words`${spelled(amountRaw, 'decimal')} units of ${anyInput}`;
  const amount = spelled(unscaledAmount(amountRaw, choice.pinned.decimals), 'decimal');
  return words`${amount} ${nameOf(choice.pinned)}`;
}

function mostClause({ perUseUsd, totalUsd }: ContractBounds): Words {
  return words`$${spelled(perUseUsd, 'decimal')} each time and $${spelled(totalUsd, 'decimal')} in all`;
}

/** How often in all, and how often by one occurrence. */
function timesClause(bounds: ContractBounds): Words {
  const { maxUses } = bounds;
  if (maxUses === 1) return words`once`;
  const each = usesPerOccurrenceOf(bounds);
  return words`${maxUses} times at most, ${each === 1 ? words`once` : words`at most ${each} times`} each time it acts`;
}

const agentWallet = words`your agent wallet`;
const mainAccount = words`your main account`;

/** Swapped tokens stay in the wallet; withdrawn ones go to its owner. */
function receivers({ actions }: Contract): readonly Words[] {
  const is = (kind: ContractAction['kind']) => actions.some((action) => action.kind === kind);
  return [...(is('swap') ? [agentWallet] : []), ...(is('withdraw_to_owner') ? [mainAccount] : [])];
}
