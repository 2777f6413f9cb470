import { isJsonObject, type JsonValue } from '@app/kernel';
import type {
  CompareOp,
  Condition,
  Operand,
  RuleNode,
  UnresolvedCode,
  UnresolvedReason,
  Verdict,
} from '../src/condition/condition';
import { at, type Case } from './random-conditions';

/*
 * Computes the verdict of a condition by brute force: every leaf is either settled or open, and each assignment of the
 * open ones is tried in two-valued logic. Where all results agree, that is the verdict. Shares no code with the
 * product.
 */

export interface Expected {
  readonly verdict: Verdict;
  readonly reasons: readonly UnresolvedReason[];
}

type Leaf = Extract<RuleNode, { compare: unknown } | { exists: unknown }>;
type Fate = boolean | { readonly code: UnresolvedCode; readonly binding?: string };

export function expectedOf(condition: Condition, readings: Case['readings']): Expected {
  const leaves = leavesOf(condition.rule, []);
  const fates = leaves.map(({ leaf }) => fateOf(leaf, condition, readings));
  const reasons = leaves.flatMap(({ path }, index) => {
    const fate = fates[index];
    return typeof fate === 'object' ? [{ nodePath: path, ...fate }] : [];
  });
  const outcomes = new Set<boolean>();
  for (let world = 0; world < 2 ** reasons.length && outcomes.size < 2; world += 1) {
    let open = 0;
    const settled = fates.map((fate) => (typeof fate === 'boolean' ? fate : Math.floor(world / 2 ** open++) % 2 === 1));
    outcomes.add(twoValued(condition.rule, settled[Symbol.iterator]()));
  }
  return { verdict: outcomes.size === 2 ? 'unknown' : outcomes.has(true) ? 'true' : 'false', reasons };
}

function leavesOf(node: RuleNode, path: readonly number[]): { leaf: Leaf; path: readonly number[] }[] {
  const children = 'all' in node ? node.all : 'any' in node ? node.any : 'not' in node ? [node.not] : null;
  if (children !== null) return children.flatMap((child, index) => leavesOf(child, [...path, index]));
  return 'compare' in node || 'exists' in node ? [{ leaf: node, path }] : [];
}

function twoValued(node: RuleNode, settled: Iterator<boolean>): boolean {
  if ('all' in node) return node.all.map((child) => twoValued(child, settled)).every(Boolean);
  if ('any' in node) return node.any.map((child) => twoValued(child, settled)).some(Boolean);
  if ('not' in node) return !twoValued(node.not, settled);
  return settled.next().value === true;
}

function fateOf(leaf: Leaf, condition: Condition, readings: Case['readings']): Fate {
  if ('exists' in leaf) {
    const { found, fate } = lookUp(leaf.exists, condition, readings);
    return fate ?? found.length > 0;
  }
  const { left, op, right } = leaf.compare;
  const seen: JsonValue[] = [];
  for (const operand of [left, right]) {
    const { found, fate } = lookUp(operand, condition, readings);
    if (fate !== null) return fate;
    if (found.length === 0) return { code: 'missing_field', ...bindingsOf([operand]) };
    seen.push(...found);
  }
  const [one = null, other = null] = seen;
  return compared(one, op, other) ?? { code: 'invalid_value', ...bindingsOf([left, right]) };
}

/** The value in a list, an empty list where it is missing, or the code of every leaf that reads this. */
function lookUp(
  operand: Operand,
  condition: Condition,
  readings: Case['readings'],
): { found: JsonValue[]; fate: Fate | null } {
  if ('value' in operand) return { found: [operand.value], fate: null };
  const { binding, field } = operand;
  const code = sourceCode(binding, condition, readings);
  if (code !== null) return { found: [], fate: { code, binding } };
  return { found: fieldOf(readings[binding]?.value ?? null, field), fate: null };
}

function bindingsOf(operands: readonly Operand[]): { binding?: string } {
  const named = operands.flatMap((operand) => ('binding' in operand ? [operand.binding] : []));
  return named[0] === undefined ? {} : { binding: named[0] };
}

/**
 * The code that makes a binding unreadable for every leaf, by its own reading and, with skewSeconds, by those of the
 * other snapshots that the rule reads.
 */
export function sourceCode(name: string, condition: Condition, readings: Case['readings']): UnresolvedCode | null {
  const { bindings, rule, skewSeconds } = condition;
  const own = ownCode(name, condition, readings);
  const isEvent = bindings.some((binding) => binding.name === name && binding.source.kind === 'event');
  if (own !== null || isEvent || skewSeconds === undefined) return own;
  const text = JSON.stringify(rule);
  const snapshots = bindings
    .filter(({ name: other, source }) => source.kind !== 'event' && text.includes(`"binding":"${other}"`))
    .map(({ name: other }) => ({ code: ownCode(other, condition, readings), time: readings[other]?.sourceTime ?? '' }));
  if (snapshots.some(({ code }) => code !== null)) return 'snapshot_skew';
  const apartMs = snapshots.flatMap(({ time }) =>
    snapshots.map((another) => Date.parse(time) - Date.parse(another.time)),
  );
  return apartMs.some((ms) => ms > skewSeconds * 1000) ? 'snapshot_skew' : null;
}

function ownCode(name: string, { bindings }: Condition, readings: Case['readings']): UnresolvedCode | null {
  const maxAgeSeconds = bindings.find((binding) => binding.name === name)?.maxAgeSeconds;
  const [, reading] = Object.entries(readings).find(([known]) => known === name) ?? [];
  if (maxAgeSeconds === undefined || reading === undefined) return 'missing_source';
  if (reading.status !== 'ready') return reading.status;
  const ageMs = Date.parse(at) - Date.parse(reading.sourceTime ?? reading.providerPublishedAt ?? '');
  return ageMs < -60_000 ? 'future' : ageMs > maxAgeSeconds * 1000 ? 'stale' : null;
}

/** The value in a list, or an empty list. */
function fieldOf(document: JsonValue, pointer: string): JsonValue[] {
  if (pointer === '') return [document];
  const [, token = '', rest = ''] = /^\/([^/]*)(.*)$/s.exec(pointer) ?? [];
  const name = token.replace(/~[01]/g, (escape) => (escape === '~0' ? '~' : '/'));
  const members: [string, JsonValue][] =
    typeof document === 'object' && document !== null ? Object.entries(document) : [];
  const found = members.find(([member]) => member === name);
  return found === undefined ? [] : fieldOf(found[1], rest);
}

/** A number times 10^60 as a whole number, or null: computed by moving digits, point and exponent in the text. */
function scaled(value: JsonValue): bigint | null {
  if (typeof value === 'string' && !/^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/.test(value)) return null;
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const [mantissa = '', exponent = '0'] = String(value).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const zeros = 60 + Number(exponent) - fraction.length;
  return BigInt(whole.replace('-', '') + fraction + '0'.repeat(zeros)) * (whole.startsWith('-') ? -1n : 1n);
}

function compared(left: JsonValue, op: CompareOp, right: JsonValue): boolean | null {
  if (op === 'contains') {
    if (Array.isArray(left)) return left.some((item: JsonValue) => equal(item, right) === true);
    return typeof left === 'string' && typeof right === 'string' ? left.includes(right) : null;
  }
  if (op === 'eq') return equal(left, right);
  if (op === 'ne') return equal(left, right) === null ? null : equal(left, right) === false;
  const sign = signOf(left, right);
  const signs = { lt: [-1], lte: [-1, 0], gt: [1], gte: [1, 0] };
  return sign === null ? null : signs[op].includes(sign);
}

function equal(left: JsonValue, right: JsonValue): boolean | null {
  const [one, other] = [scaled(left), scaled(right)];
  if (one !== null && other !== null) return one === other;
  return shapeOf(left) === shapeOf(right) ? sorted(left) === sorted(right) : null;
}

function signOf(left: JsonValue, right: JsonValue): number | null {
  const [one, other] = [scaled(left), scaled(right)];
  if (one !== null && other !== null) return one < other ? -1 : Number(one > other);
  if (one !== null || other !== null || typeof left !== 'string' || typeof right !== 'string') return null;
  return left < right ? -1 : Number(left > right);
}

const shapeOf = (value: JsonValue) => Object.prototype.toString.call(value);

function sorted(value: JsonValue): string {
  return JSON.stringify(value, (_, part: JsonValue) =>
    isJsonObject(part) ? Object.fromEntries(Object.entries(part).sort()) : part,
  );
}
