import {
  isSpelled,
  joined,
  openOr,
  quotedExactly,
  spelled,
  unreachable,
  words,
  type JsonValue,
  type Words,
} from '@app/kernel';
import type { CompareOp, Operand, RuleNode, Source, StoredCondition } from './condition';
import type { SymbolOf } from './token-symbols';

/** Options for the words of a condition. */
export interface ConditionStyle {
  /** The provider's symbol of a token; null where it is named by its id. */
  readonly symbolOf: SymbolOf;
  /** Maximum length, in code points, of each quotation of a name, value, pointer or token id; `Infinity` for no limit. */
  readonly quotedLengthMax: number;
}

/** A condition in words that may follow an "if": `the price of NEAR is below $2`. */
export function conditionWords({ bindings, rule: stored }: StoredCondition, style: ConditionStyle): Words {
  const rule = openOr(stored, null);
  if (rule === null) return words`its condition, which was erased, holds`;
  const sources = new Map(bindings.map(({ name, source }) => [name, source]));
  return nodeWords(rule, { ...style, sourceOf: (binding) => sources.get(binding) });
}

interface Saying extends ConditionStyle {
  readonly sourceOf: (binding: string) => Source | undefined;
}

function nodeWords(node: RuleNode, saying: Saying): Words {
  const inner = (child: RuleNode): Words => nodeWords(child, saying);
  if ('all' in node) return joinNodes(node.all, ' and ', inner);
  if ('any' in node) return joinNodes(node.any, ' or ', inner);
  if ('exists' in node) return words`there is ${operandWords(node.exists, false, saying)}`;
  if ('compare' in node) return comparison(node.compare, opWords, saying);
  const { not } = node;
  if ('compare' in not) return comparison(not.compare, negatedWords, saying);
  if ('exists' in not) return words`there is no ${operandWords(not.exists, false, saying)}`;
  return words`it is not so that (${inner(not)})`;
}

/** Members that are lists themselves are put in brackets, so that the grouping is visible. */
function joinNodes(nodes: readonly RuleNode[], between: ' and ' | ' or ', inner: (node: RuleNode) => Words): Words {
  const isList = (node: RuleNode): boolean => 'all' in node || 'any' in node;
  return joined(
    nodes.map((node) => (isList(node) && nodes.length > 1 ? words`(${inner(node)})` : inner(node))),
    between,
  );
}

const opWords = {
  eq: 'is',
  ne: 'is other than',
  lt: 'is below',
  lte: 'is at most',
  gt: 'is above',
  gte: 'is at least',
  contains: 'contains',
} as const satisfies Record<CompareOp, string>;

const negatedWords = {
  eq: 'is not',
  ne: 'is not other than',
  lt: 'is not below',
  lte: 'is not at most',
  gt: 'is not above',
  gte: 'is not at least',
  contains: 'does not contain',
} as const satisfies Record<CompareOp, string>;

type Comparison = Extract<RuleNode, { readonly compare: unknown }>['compare'];

function comparison(
  { left, op, right }: Comparison,
  said: typeof opWords | typeof negatedWords,
  saying: Saying,
): Words {
  const inDollars = [left, right].some((operand) => isDollars(operand, saying));
  const [one, other] = [operandWords(left, inDollars, saying), operandWords(right, inDollars, saying)];
  return words`${one} ${said[op]} ${other}`;
}

function isDollars(operand: Operand, { sourceOf }: Saying): boolean {
  if (!('binding' in operand)) return false;
  const kind = sourceOf(operand.binding)?.kind;
  const { field } = operand;
  return (kind === 'token_price' && field === '/priceUsd') || (kind === 'wallet_balance' && field === '/valueUsd');
}

function operandWords(operand: Operand, inDollars: boolean, saying: Saying): Words {
  if ('value' in operand) return valueWords(operand.value, inDollars, saying);
  const source = saying.sourceOf(operand.binding);
  const { field } = operand;
  if (source === undefined) return words`${fieldWords(field, saying)} of ${quotedExactly(operand.binding)}`;
  switch (source.kind) {
    case 'token_price': {
      const price = words`the price of ${tokenWords(source.tokenId, saying)}`;
      return field === '/priceUsd' ? price : words`${fieldWords(field, saying)} of ${price}`;
    }
    case 'wallet_balance':
      return balanceWords(tokenWords(source.tokenId, saying), field, saying);
    case 'event':
      return field === '' ? words`the event` : words`${fieldWords(field, saying)} of the event`;
    default:
      return unreachable(source);
  }
}

function balanceWords(token: Words, field: string, saying: Saying): Words {
  switch (field) {
    case '/amount':
      return words`the balance of ${token}`;
    case '/amountRaw':
      return words`the balance of ${token} in its smallest unit`;
    case '/valueUsd':
      return words`the worth of the balance of ${token}`;
    default:
      return words`${fieldWords(field, saying)} of the balance of ${token}`;
  }
}

function fieldWords(field: string, { quotedLengthMax }: Saying): Words {
  return field === '' ? words`the whole` : quotedExactly(field, quotedLengthMax);
}

/** A token's symbol where it is a ticker, else its id. */
export function tokenWords(tokenId: string, { symbolOf, quotedLengthMax }: ConditionStyle): Words {
  const symbol = symbolOf(tokenId);
  if (symbol !== null && isSpelled(symbol, 'ticker')) return spelled(symbol, 'ticker');
  return tokenId.length <= quotedLengthMax
    ? spelled(tokenId, 'tokenId')
    : quotedExactly(endsOf(tokenId, quotedLengthMax));
}

/** Both ends of an id, because its beginning alone may not distinguish it from others. */
function endsOf(tokenId: string, lengthMax: number): string {
  const end = Math.floor(lengthMax / 2) - 1;
  return `${tokenId.slice(0, end)}…${tokenId.slice(-end)}`;
}

/** Decimals as they are; everything else as an exact quotation, because comparisons are exact. */
function valueWords(value: JsonValue, inDollars: boolean, { quotedLengthMax }: Saying): Words {
  if (typeof value === 'number' || (typeof value === 'string' && isSpelled(value, 'decimal'))) {
    const number = typeof value === 'number' ? words`${value}` : spelled(value, 'decimal');
    return inDollars ? words`$${number}` : number;
  }
  if (value === null) return words`null`;
  if (typeof value === 'boolean') return value ? words`true` : words`false`;
  return quotedExactly(value, quotedLengthMax);
}
