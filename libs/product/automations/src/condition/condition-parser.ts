import {
  check,
  codePointLength,
  inside,
  isBoundedJson,
  isGiven,
  kindOf,
  membersOf,
  objectIn,
  oneOf,
  wrong,
  type Part,
} from '@app/kernel';
import {
  operandsIn,
  type Binding,
  type CompareOp,
  type Condition,
  type Operand,
  type RuleNode,
  type Source,
} from './condition';
import { isJsonPointer } from './json-pointers';

/** Bounds of a condition (docs/decisions/automations.md; specification, "automations.testCondition"; docs/choices.md). */
export const conditionBounds = {
  bindingsMax: 5,
  ageSecondsMax: 86_400,
  skewSecondsMax: 86_400,
  depthMax: 8,
  nodesMax: 256,
  fieldLengthMax: 1024,
  /** Of the whole rule as JSON: it is read at each of the thousands of looks of a simulation. */
  ruleBytesMax: 64 * 1024,
} as const;

export const nameForm = /^[A-Za-z][A-Za-z0-9_-]{0,31}$/;
/** Whatever the provider calls its tokens, in one word. */
export const tokenIdForm = /^[!-~]{1,512}$/;

const nameRule = 'must be a letter and up to 31 letters, digits, _ or -';
const tokenIdRule = 'must be a token id of 1 to 512 characters without spaces';
const ageRule = `must be a whole number of seconds from 1 to ${conditionBounds.ageSecondsMax}`;
const skewRule = `must be a whole number of seconds from 0 to ${conditionBounds.skewSecondsMax}`;
const fieldRule = `must be a JSON pointer (RFC 6901) of at most ${conditionBounds.fieldLengthMax} characters`;
const valueRule = 'must be JSON of at most 16 KiB, 8 levels and 256 entries';
const sizeRule = `must take at most ${conditionBounds.ruleBytesMax / 1024} KiB as JSON`;
const nodesRule = `must have at most ${conditionBounds.nodesMax} nodes`;

/**
 * Reads a condition out of JSON, strictly: exactly the members that the specification names, everything within its conditionBounds. That the
 * rule names only bindings that there are is not looked at here: see `unboundNames`.
 *
 * @returns null once an issue is noted
 */
export function parseCondition(part: Part): Condition | null {
  const notedBefore = part.issues.length;
  const members = membersOf(part, ['bindings', 'rule'], ['skewSeconds']);
  if (members === null) return null;
  const bindings = bindingsIn(members.bindings);
  const rule = ruleIn(members.rule);
  const skew = members.skewSeconds;
  const skewSeconds = skew && check(skew, isSeconds(0, conditionBounds.skewSecondsMax), skewRule);
  // A member that is not known is noted, and the reading goes on, to tell of the next.
  if (bindings === null || rule === null || part.issues.length > notedBefore) return null;
  if (skewSeconds === null) return null;
  return skewSeconds === undefined ? { bindings, rule } : { bindings, rule, skewSeconds };
}

/** Names that the rule uses and no binding has, each once, in the order of the rule. */
export function unboundNames({ bindings, rule }: Condition): readonly string[] {
  const used = operandsIn(rule).flatMap((operand) => ('binding' in operand ? [operand.binding] : []));
  return [...new Set(used)].filter((used) => !bindings.some(({ name }) => name === used));
}

function bindingsIn(part: Part): readonly Binding[] | null {
  const items = itemsOf(part, conditionBounds.bindingsMax);
  const names = new Set<string>();
  return allOf(
    items?.map((item) => {
      const binding = bindingIn(item);
      if (binding === null) return null;
      if (names.has(binding.name)) return wrong(inside(item, 'name', binding.name), 'must be a name of its own');
      names.add(binding.name);
      return binding;
    }),
  );
}

function bindingIn(part: Part): Binding | null {
  const members = membersOf(part, ['name', 'source', 'maxAgeSeconds']);
  if (members === null) return null;
  const name = check(members.name, isName, nameRule);
  const source = sourceIn(members.source);
  const maxAgeSeconds = check(members.maxAgeSeconds, isSeconds(1, conditionBounds.ageSecondsMax), ageRule);
  return name === null || source === null || maxAgeSeconds === null ? null : { name, source, maxAgeSeconds };
}

function sourceIn(part: Part): Source | null {
  const kind = kindOf(part, ['token_price', 'wallet_balance', 'event']);
  if (kind === null) return null;
  if (kind === 'event') return membersOf(part, ['kind']) === null ? null : { kind };
  const members = membersOf(part, ['kind', 'tokenId']);
  const tokenId = members === null ? null : check(members.tokenId, isTokenId, tokenIdRule);
  return tokenId === null ? null : { kind, tokenId };
}

function ruleIn(part: Part): RuleNode | null {
  const rule = nodeIn(part, { depth: 1, counted: { nodes: 0 }, root: part });
  if (rule === null) return null;
  return Buffer.byteLength(JSON.stringify(rule), 'utf8') <= conditionBounds.ruleBytesMax ? rule : wrong(part, sizeRule);
}

const nodeKinds = ['all', 'any', 'not', 'compare', 'exists'] as const;

/** Where in the rule a node is, and how many were read before it. */
interface Place {
  /** The rule's own node has 1. */
  readonly depth: number;
  readonly counted: { nodes: number };
  readonly root: Part;
}

function nodeIn(part: Part, place: Place): RuleNode | null {
  if (place.depth > conditionBounds.depthMax) return wrong(part, `must be at most ${conditionBounds.depthMax} deep`);
  place.counted.nodes += 1;
  if (place.counted.nodes > conditionBounds.nodesMax) return wrong(place.root, nodesRule);
  const given = objectIn(part);
  if (given === null) return null;
  const kinds = nodeKinds.filter((kind) => isGiven(given, kind));
  const [kind] = kinds;
  if (kind === undefined || kinds.length > 1) return wrong(part, `must have one of ${nodeKinds.join(', ')}`);
  const content = membersOf<string, (typeof nodeKinds)[number]>(part, [], nodeKinds)?.[kind];
  return content === undefined ? null : contentIn(kind, content, { ...place, depth: place.depth + 1 });
}

function contentIn(kind: (typeof nodeKinds)[number], content: Part, below: Place): RuleNode | null {
  switch (kind) {
    case 'all': {
      const all = nodesIn(content, below);
      return all === null ? null : { all };
    }
    case 'any': {
      const any = nodesIn(content, below);
      return any === null ? null : { any };
    }
    case 'not': {
      const not = nodeIn(content, below);
      return not === null ? null : { not };
    }
    case 'compare':
      return comparisonIn(content);
    case 'exists': {
      const exists = operandIn(content);
      return exists === null ? null : { exists };
    }
  }
}

function nodesIn(part: Part, place: Place): readonly RuleNode[] | null {
  const items = itemsOf(part, conditionBounds.nodesMax);
  return allOf(items?.map((item) => nodeIn(item, place)));
}

export const compareOps = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'contains'] as const satisfies readonly CompareOp[];

function comparisonIn(part: Part): RuleNode | null {
  const members = membersOf(part, ['left', 'op', 'right']);
  if (members === null) return null;
  const left = operandIn(members.left);
  const op = oneOf(members.op, compareOps);
  const right = operandIn(members.right);
  return left === null || op === null || right === null ? null : { compare: { left, op, right } };
}

function operandIn(part: Part): Operand | null {
  const given = objectIn(part);
  if (given === null) return null;
  const isReading = isGiven(given, 'binding') || isGiven(given, 'field');
  // A constant may be null, but beside a binding null is absence.
  if (Object.hasOwn(given, 'value') && !(isReading && given['value'] === null)) {
    const members = membersOf(part, ['value'], isReading ? [] : ['binding', 'field']);
    return members === null ? null : constantIn(members.value);
  }
  const members = membersOf(part, ['binding', 'field'], ['value']);
  if (members === null) return null;
  const binding = check(members.binding, isName, nameRule);
  const field = check(members.field, isField, fieldRule);
  return binding === null || field === null ? null : { binding, field };
}

function constantIn(part: Part): Operand | null {
  const value = check(part, isBoundedJson, valueRule);
  return value === null && part.value !== null ? null : { value };
}

function itemsOf(part: Part, max: number): readonly Part[] | null {
  const { value } = part;
  if (!Array.isArray(value) || value.length < 1 || value.length > max)
    return wrong(part, `must be a list of 1 to ${max} items`);
  return value.map((item: unknown, index) => inside(part, index, item));
}

function allOf<Value>(values: readonly (Value | null)[] | null | undefined): readonly Value[] | null {
  const read = values?.filter((value) => value !== null);
  return read?.length === values?.length ? (read ?? null) : null;
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && nameForm.test(value);
}

function isTokenId(value: unknown): value is string {
  return typeof value === 'string' && tokenIdForm.test(value);
}

function isField(value: unknown): value is string {
  return typeof value === 'string' && codePointLength(value) <= conditionBounds.fieldLengthMax && isJsonPointer(value);
}

function isSeconds(min: number, max: number): (value: unknown) => value is number {
  return (value): value is number =>
    typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
}
