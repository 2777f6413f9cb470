import { parseDecimal, unreachable, type JsonValue } from '@app/kernel';
import type { CompareOp, Condition, Operand, RuleNode, Source } from './condition';
import { isPlainSymbol, type SymbolOf } from '../definition/token-symbols';

/** A value in a rule may be long: more than this of its spelling is not told. */
const shownValueLengthMax = 120;
/** A token's id longer than this is shown by its two ends. */
const shownTokenIdLengthMax = 60;

/** `the price of NEAR is below $2`: a condition as what comes after an "if". */
export function conditionWords({ bindings, rule }: Condition, symbolOf: SymbolOf): string {
  const sources = new Map(bindings.map(({ name, source }) => [name, source]));
  return nodeWords(rule, (binding) => sources.get(binding), symbolOf);
}

type SourceOf = (binding: string) => Source | undefined;

function nodeWords(node: RuleNode, sourceOf: SourceOf, symbolOf: SymbolOf): string {
  const inner = (child: RuleNode): string => nodeWords(child, sourceOf, symbolOf);
  if ('all' in node) return joinNodes(node.all, ' and ', inner);
  if ('any' in node) return joinNodes(node.any, ' or ', inner);
  if ('exists' in node) return `there is ${operandWords(node.exists, false, sourceOf, symbolOf)}`;
  if ('compare' in node) return comparison(node.compare, opWords, sourceOf, symbolOf);
  const { not } = node;
  if ('compare' in not) return comparison(not.compare, negatedWords, sourceOf, symbolOf);
  if ('exists' in not) return `there is no ${operandWords(not.exists, false, sourceOf, symbolOf)}`;
  return `it is not so that (${inner(not)})`;
}

/** Members that are lists themselves stand in brackets, so that what belongs together is seen. */
function joinNodes(nodes: readonly RuleNode[], between: string, inner: (node: RuleNode) => string): string {
  const isList = (node: RuleNode): boolean => 'all' in node || 'any' in node;
  return nodes.map((node) => (isList(node) && nodes.length > 1 ? `(${inner(node)})` : inner(node))).join(between);
}

const opWords: Record<CompareOp, string> = {
  eq: 'is',
  ne: 'is other than',
  lt: 'is below',
  lte: 'is at most',
  gt: 'is above',
  gte: 'is at least',
  contains: 'contains',
};

const negatedWords: Record<CompareOp, string> = {
  eq: 'is not',
  ne: 'is not other than',
  lt: 'is not below',
  lte: 'is not at most',
  gt: 'is not above',
  gte: 'is not at least',
  contains: 'does not contain',
};

type Comparison = Extract<RuleNode, { readonly compare: unknown }>['compare'];

function comparison(
  { left, op, right }: Comparison,
  words: Record<CompareOp, string>,
  sourceOf: SourceOf,
  symbolOf: SymbolOf,
): string {
  const inDollars = [left, right].some((operand) => isDollars(operand, sourceOf));
  const [one, other] = [left, right].map((operand) => operandWords(operand, inDollars, sourceOf, symbolOf));
  return `${one} ${words[op]} ${other}`;
}

function isDollars(operand: Operand, sourceOf: SourceOf): boolean {
  if (!('binding' in operand)) return false;
  const kind = sourceOf(operand.binding)?.kind;
  const { field } = operand;
  return (kind === 'token_price' && field === '/priceUsd') || (kind === 'wallet_balance' && field === '/valueUsd');
}

function operandWords(operand: Operand, inDollars: boolean, sourceOf: SourceOf, symbolOf: SymbolOf): string {
  if ('value' in operand) return valueWords(operand.value, inDollars);
  const source = sourceOf(operand.binding);
  const { field } = operand;
  if (source === undefined) return `${field} of ${operand.binding}`;
  switch (source.kind) {
    case 'token_price': {
      const price = `the price of ${tokenWords(source.tokenId, symbolOf)}`;
      return field === '/priceUsd' ? price : `${fieldWords(field)} of ${price}`;
    }
    case 'wallet_balance':
      return balanceWords(tokenWords(source.tokenId, symbolOf), field);
    case 'event':
      return field === '' ? 'the event' : `${fieldWords(field)} of the event`;
    default:
      return unreachable(source);
  }
}

function balanceWords(token: string, field: string): string {
  switch (field) {
    case '/amount':
      return `the balance of ${token}`;
    case '/amountRaw':
      return `the balance of ${token} in its smallest unit`;
    case '/valueUsd':
      return `the worth of the balance of ${token}`;
    default:
      return `${fieldWords(field)} of the balance of ${token}`;
  }
}

function fieldWords(field: string): string {
  return field === '' ? 'the whole' : field.slice(1);
}

/** A token's symbol where that is plain, else its id, both ends of it where it is long. */
export function tokenWords(tokenId: string, symbolOf: SymbolOf): string {
  const symbol = symbolOf(tokenId);
  if (symbol !== null && isPlainSymbol(symbol)) return symbol;
  if (tokenId.length <= shownTokenIdLengthMax) return tokenId;
  const end = shownTokenIdLengthMax / 2 - 1;
  return `${tokenId.slice(0, end)}…${tokenId.slice(-end)}`;
}

/** Decimals bare, other texts in quotation marks, everything else as JSON spells it. */
function valueWords(value: JsonValue, inDollars: boolean): string {
  const isNumber = typeof value === 'number' || (typeof value === 'string' && parseDecimal(value) !== null);
  if (isNumber) return inDollars ? `$${value}` : `${value}`;
  const spelled = [...JSON.stringify(value)];
  if (spelled.length <= shownValueLengthMax) return spelled.join('');
  return `${spelled.slice(0, shownValueLengthMax - 1).join('')}…`;
}
