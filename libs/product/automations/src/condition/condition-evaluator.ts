import { epochMsOf, openOr, valueAt, type Instant, type JsonValue } from '@app/kernel';
import {
  operandsIn,
  type Condition,
  type Evaluation,
  type Operand,
  type Reading,
  type Readings,
  type RuleNode,
  type StoredCondition,
  type UnresolvedCode,
  type UnresolvedReason,
  type Verdict,
} from './condition';
import { comparable, compareValues, type Comparable } from './value-comparison';

/** A source's time that is further ahead than this makes the reading `future` (docs/decisions/automations.md, "testCondition"). */
const aheadMaxMs = 60_000;

/**
 * The verdict of a rule at an instant: `true`, `false`, or `unknown` where a reading that decides it is missing
 * (Kleene's logic). Every leaf is evaluated. Each unresolved leaf gives one reason, in rule order: that of its first
 * unreadable operand, the left one first. Where several codes apply to one operand, the first of this list is reported:
 * `missing_source`, `unavailable` or `gap`, `future`, `stale`, `snapshot_skew`, `missing_field`; and `invalid_value`
 * where both operands are readable but not comparable, with the binding of the first operand that has one.
 *
 * More knowledge never changes a verdict that is `true` or `false`. So with `skewSeconds`, either all snapshots that
 * the rule reads are readable and that close together, or none of them counts.
 *
 * Each field is resolved and parsed as a number once, however many leaves use it; a leaf takes no more steps than its
 * operands have characters and entries. So a hostile rule of 256 nodes over an event of 16 KiB takes some 4 million
 * steps at most.
 *
 * @param condition null: `true`; one whose rule was erased: `unknown`, without a reason
 * @param at the instant that ages count from
 */
export function evaluate(condition: StoredCondition | null, readings: Readings, at: Instant): Evaluation {
  if (condition === null) return { verdict: 'true', evaluatedAt: at, reasons: [] };
  const rule = openOr(condition.rule, null);
  if (rule === null) return { verdict: 'unknown', evaluatedAt: at, reasons: [] };
  const reasons: UnresolvedReason[] = [];
  const sources = sourcesOf({ ...condition, rule }, readings, at);
  const verdict = verdictOf(rule, [], { sources, fields: new Map(), reasons });
  return { verdict, evaluatedAt: at, reasons };
}

/** A source's document, or why it cannot be read. */
type SourceView = { readonly document: JsonValue } | { readonly code: UnresolvedCode };

/** The reason why a leaf cannot be resolved. */
type Unresolved = Omit<UnresolvedReason, 'nodePath'>;

/** An operand's value, or the reason why it is missing. */
type Found = Comparable | Unresolved;

interface Walk {
  readonly sources: ReadonlyMap<string, SourceView>;
  /** Fields that are already resolved, by binding and pointer. */
  readonly fields: Map<string, Found>;
  readonly reasons: UnresolvedReason[];
}

function verdictOf(node: RuleNode, path: readonly number[], walk: Walk): Verdict {
  const childVerdict = (child: RuleNode, index: number) => verdictOf(child, [...path, index], walk);
  if ('all' in node) return settledBy('false', node.all.map(childVerdict));
  if ('any' in node) return settledBy('true', node.any.map(childVerdict));
  if ('not' in node) return negate(childVerdict(node.not, 0));
  const outcome = 'compare' in node ? comparison(node.compare, walk) : existence(node.exists, walk);
  if (typeof outcome === 'boolean') return outcome ? 'true' : 'false';
  walk.reasons.push({ nodePath: path, ...outcome });
  return 'unknown';
}

/** One member with that verdict decides; otherwise one unknown leaves it open. */
function settledBy(settling: 'true' | 'false', verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes(settling)) return settling;
  return verdicts.includes('unknown') ? 'unknown' : negate(settling);
}

function negate(verdict: Verdict): Verdict {
  if (verdict === 'unknown') return 'unknown';
  return verdict === 'true' ? 'false' : 'true';
}

function comparison(leaf: Extract<RuleNode, { compare: unknown }>['compare'], walk: Walk): boolean | Unresolved {
  const left = valueOf(leaf.left, walk);
  if ('code' in left) return left;
  const right = valueOf(leaf.right, walk);
  if ('code' in right) return right;
  const holds = compareValues(left, leaf.op, right);
  if (holds !== null) return holds;
  const read = [leaf.left, leaf.right].find((operand) => 'binding' in operand);
  return read === undefined ? { code: 'invalid_value' } : { code: 'invalid_value', binding: read.binding };
}

/** A field that its source lacks does not exist; whether it exists is unknown if the source cannot be read. */
function existence(operand: Operand, walk: Walk): boolean | Unresolved {
  const found = valueOf(operand, walk);
  if ('value' in found) return true;
  return found.code === 'missing_field' ? false : found;
}

function valueOf(operand: Operand, { sources, fields }: Walk): Found {
  if ('value' in operand) return comparable(operand.value);
  const { binding, field } = operand;
  const key = `${binding} ${field}`;
  const known = fields.get(key);
  if (known !== undefined) return known;
  const found = fieldOf(sources.get(binding) ?? { code: 'missing_source' }, binding, field);
  fields.set(key, found);
  return found;
}

function fieldOf(source: SourceView, binding: string, field: string): Found {
  if ('code' in source) return { code: source.code, binding };
  const value = valueAt(source.document, field);
  return value === undefined ? { code: 'missing_field', binding } : comparable(value);
}

/** The sources that the rule reads, by binding. */
function sourcesOf({ bindings, rule, skewSeconds }: Condition, readings: Readings, at: Instant): Walk['sources'] {
  const read = new Set(operandsIn(rule).flatMap((operand) => ('binding' in operand ? [operand.binding] : [])));
  const views = bindings
    .filter(({ name }) => read.has(name))
    .map(({ name, source, maxAgeSeconds }) => {
      // Names of bindings may be those of members that every object inherits, such as `constructor`.
      const reading = Object.hasOwn(readings, name) ? readings[name] : undefined;
      const view: SourceView = reading === undefined ? { code: 'missing_source' } : viewOf(reading, maxAgeSeconds, at);
      return { name, view, isSnapshot: source.kind !== 'event', timeMs: reading === undefined ? 0 : timeMsOf(reading) };
    });
  const snapshots = views.filter(({ isSnapshot }) => isSnapshot);
  const apart = skewSeconds !== undefined && !isCloseTogether(snapshots, skewSeconds);
  return new Map(
    views.map(({ name, view, isSnapshot }) =>
      apart && isSnapshot && 'document' in view ? [name, { code: 'snapshot_skew' }] : [name, view],
    ),
  );
}

function isCloseTogether(
  snapshots: readonly { readonly view: SourceView; readonly timeMs: number }[],
  skewSeconds: number,
): boolean {
  if (snapshots.some(({ view }) => 'code' in view)) return false;
  const timesMs = snapshots.map(({ timeMs }) => timeMs);
  return snapshots.length < 2 || Math.max(...timesMs) - Math.min(...timesMs) <= skewSeconds * 1000;
}

function viewOf(reading: Reading, maxAgeSeconds: number, at: Instant): SourceView {
  if (reading.status !== 'ready') return { code: reading.status };
  const ageMs = epochMsOf(at) - timeMsOf(reading);
  if (ageMs < -aheadMaxMs) return { code: 'future' };
  return ageMs > maxAgeSeconds * 1000 ? { code: 'stale' } : { document: reading.value };
}

/** When the value was valid, according to its source or sender: a report that took long to arrive counts as old. */
function timeMsOf({ sourceTime, providerPublishedAt, receivedAt }: Reading): number {
  return epochMsOf(sourceTime ?? providerPublishedAt ?? receivedAt);
}
