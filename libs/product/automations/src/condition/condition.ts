import type { Erased, Instant, JsonValue, Sealed } from '@app/kernel';

/** Bounds of a condition (docs/decisions/automations.md; specification, "automations.testCondition"; docs/choices.md). */
export const conditionBounds = {
  bindingsMax: 5,
  ageSecondsMax: 86_400,
  skewSecondsMax: 86_400,
  depthMax: 8,
  nodesMax: 256,
  fieldLengthMax: 1024,
  /** Maximum size of the whole rule as JSON, because a simulation evaluates it thousands of times. */
  ruleBytesMax: 64 * 1024,
} as const;

/** The condition for an automation to fire (docs/decisions/automations.md, "condition"): a rule over values that sources deliver. */
export type Condition = ConditionOf<never>;

/** A condition as events hold it: the rule is sealed, because its constants may be any text that the user expects in an event. */
export type StoredCondition = ConditionOf<Sealed | Erased>;

/** A condition as answers show it. */
export type ShownCondition = ConditionOf<Erased>;

interface ConditionOf<Closed> {
  /** 1 to 5, with distinct names. Never sealed: the sampling of sources searches the read model by their tokens. */
  readonly bindings: readonly Binding[];
  readonly rule: RuleNode | Closed;
  /** The greatest distance in time between two snapshots of one evaluation, in seconds. */
  readonly skewSeconds?: number;
}

/** Gives a source a name in the rule. */
export interface Binding {
  readonly name: string;
  readonly source: Source;
  /** Values older than this many seconds are stale and cannot be read: 1 to 86400. */
  readonly maxAgeSeconds: number;
}

export type Source = SampledSource | { readonly kind: 'event' };

/** Polled by the service and retained. */
export type SampledSource =
  | { readonly kind: 'token_price'; readonly tokenId: string }
  | { readonly kind: 'wallet_balance'; readonly tokenId: string };

/** At most 8 deep, at most 256 nodes. */
export type RuleNode =
  | { readonly all: readonly RuleNode[] }
  | { readonly any: readonly RuleNode[] }
  | { readonly not: RuleNode }
  | { readonly compare: { readonly left: Operand; readonly op: CompareOp; readonly right: Operand } }
  | { readonly exists: Operand };

/**
 * The operators of a comparison. The compiler names what a new one lacks: its meaning (`compareValues`), its words
 * (`condition-words.ts`).
 */
export const compareOps = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'contains'] as const;
export type CompareOp = (typeof compareOps)[number];

/** A field of a source, by its JSON pointer (RFC 6901), or a constant in the rule itself. */
export type Operand = { readonly binding: string; readonly field: string } | { readonly value: JsonValue };

export const readingStatuses = ['ready', 'unavailable', 'gap'] as const;

/** The state of a source at the instant of an evaluation. */
export interface Reading {
  readonly kind: 'snapshot' | 'received_event';
  /** `<kind>:<tokenId>`, or `<kind>:sha256:…` where that exceeds 128 characters; `event` for an event. */
  readonly sourceId: string;
  /** The id of the sample or the event: 1 to 128 characters. */
  readonly eventId: string;
  readonly receivedAt: Instant;
  /** `gap`: no sample where two were due. */
  readonly status: (typeof readingStatuses)[number];
  /** The reason why it is not ready, in words of our own; null when it is. */
  readonly reason: string | null;
  /** When the value was valid, according to the source; null for a received event. */
  readonly sourceTime: Instant | null;
  /** When the event happened, according to the sender; null for a snapshot. */
  readonly providerPublishedAt: Instant | null;
  /** The document that field pointers point into; null unless ready. */
  readonly value: JsonValue;
}

/** The readings of one evaluation, by binding; a binding without any record is absent. */
export type Readings = { readonly [binding: string]: Reading | undefined };

export const verdicts = ['true', 'false', 'unknown'] as const;
export type Verdict = (typeof verdicts)[number];

export const unresolvedCodes = [
  'missing_source',
  'unavailable',
  'gap',
  'stale',
  'future',
  'missing_field',
  'invalid_value',
  'snapshot_skew',
] as const;
export type UnresolvedCode = (typeof unresolvedCodes)[number];

/** A reason why a leaf of the rule could not be resolved. */
export interface UnresolvedReason {
  /** Child indices from the root of the rule, at most 8; empty for the root. */
  readonly nodePath: readonly number[];
  readonly code: UnresolvedCode;
  readonly binding?: string;
}

export interface Evaluation {
  readonly verdict: Verdict;
  readonly evaluatedAt: Instant;
  /** At most one for each leaf, in rule order. */
  readonly reasons: readonly UnresolvedReason[];
}

/** The operands of a rule's leaves, in the order of the rule, the left one first. */
export function operandsIn(node: RuleNode): readonly Operand[] {
  if ('all' in node) return node.all.flatMap(operandsIn);
  if ('any' in node) return node.any.flatMap(operandsIn);
  if ('not' in node) return operandsIn(node.not);
  return 'compare' in node ? [node.compare.left, node.compare.right] : [node.exists];
}

/** Names that the rule uses without a binding, each once, in the order of the rule. */
export function unboundNames({ bindings, rule }: Condition): readonly string[] {
  const used = operandsIn(rule).flatMap((operand) => ('binding' in operand ? [operand.binding] : []));
  return [...new Set(used)].filter((used) => !bindings.some(({ name }) => name === used));
}
