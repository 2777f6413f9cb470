import { sha256Hex } from '@app/canonical';
import { codePointLength, openOr, quotedExactly, shortened, valueAt, words } from '@app/kernel';
import type { Instant, JsonValue, Words } from '@app/kernel';
import { operandsIn, type Binding, type Reading, type Readings, type Source, type StoredCondition } from './condition';
import { tokenWords } from './condition-words';
import type { SymbolOf } from './token-symbols';

/** Bounds of reports about sources (specification, "Condition test", "Automation (status view)"). */
export const readingBounds = { sourceIdLengthMax: 128, factsMax: 3, labelLengthMax: 80, valueLengthMax: 160 } as const;

/** The name of a source: `<kind>:<tokenId>`, or `<kind>:sha256:` and the token id's hash where that is too long; or `event`. */
export function sourceIdOf(source: Source): string {
  if (source.kind === 'event') return source.kind;
  const { kind, tokenId } = source;
  const plain = `${kind}:${tokenId}`;
  return codePointLength(plain) <= readingBounds.sourceIdLengthMax ? plain : `${kind}:sha256:${sha256Hex(tokenId)}`;
}

/** One reading that an evaluation used, without its value (specification, "evaluation.inputs"). */
export type EvaluationInput = {
  readonly binding: string;
  readonly sourceId: string;
  readonly eventId: string;
  readonly receivedAt: Instant;
  readonly maxAgeSeconds: number;
  readonly status: Reading['status'];
  readonly reason: string | null;
} & (
  | { readonly kind: 'snapshot'; readonly sourceTime: Instant }
  | { readonly kind: 'received_event'; readonly sourceTime: null; readonly providerPublishedAt: Instant | null }
);

/** One input for each binding that has a reading, in the order of the bindings. */
export function inputsOf(condition: StoredCondition | null, readings: Readings): readonly EvaluationInput[] {
  return (condition?.bindings ?? []).flatMap(({ name, maxAgeSeconds }) => {
    const reading = readingOf(readings, name);
    return reading === undefined ? [] : [inputOf(name, maxAgeSeconds, reading)];
  });
}

function inputOf(binding: string, maxAgeSeconds: number, reading: Reading): EvaluationInput {
  const { sourceId, eventId, receivedAt, status, reason, sourceTime, providerPublishedAt } = reading;
  const told = { binding, sourceId, eventId, receivedAt, maxAgeSeconds, status, reason };
  return reading.kind === 'snapshot'
    ? { ...told, kind: 'snapshot', sourceTime: sourceTime ?? receivedAt }
    : { ...told, kind: 'received_event', sourceTime: null, providerPublishedAt };
}

/** One observation of the last check, for users (specification, "lastCheck.facts[]"). */
export interface Fact {
  /** At most 80 characters. */
  readonly label: string;
  /** At most 160 characters. */
  readonly value: string;
  readonly unit?: string;
  readonly observedAt: Instant | null;
}

export interface Facts {
  /** At most 3. */
  readonly facts: readonly Fact[];
  /** The number of further facts. */
  readonly omittedFacts: number;
}

/**
 * The values of the fields that the rule reads, each once, in the order of the rule. Of an event's fields only numbers
 * and truth values are shown, because texts are the sender's words and models read a status.
 *
 * @param symbolOf the provider's symbol of a token, or null: the token is then named by its id
 */
export function factsOf(condition: StoredCondition | null, readings: Readings, symbolOf: SymbolOf = () => null): Facts {
  const rule = condition === null ? null : openOr(condition.rule, null);
  if (condition === null || rule === null) return { facts: [], omittedFacts: 0 };
  const told = new Map<string, Fact>();
  for (const operand of operandsIn(rule)) {
    if ('value' in operand) continue;
    const binding = condition.bindings.find(({ name }) => name === operand.binding);
    const key = `${operand.binding} ${operand.field}`;
    if (binding !== undefined && !told.has(key)) {
      const label = labelOf(binding, operand.field, symbolOf);
      told.set(key, factOf(label, binding, operand.field, readings));
    }
  }
  const facts = [...told.values()];
  return {
    facts: facts.slice(0, readingBounds.factsMax),
    omittedFacts: Math.max(0, facts.length - readingBounds.factsMax),
  };
}

function factOf(label: Words, { name, source }: Binding, field: string, readings: Readings): Fact {
  const reading = readingOf(readings, name);
  const value = reading?.status === 'ready' ? valueAt(reading.value, field) : undefined;
  const known = value !== undefined;
  const observedAt = reading?.sourceTime ?? reading?.providerPublishedAt ?? null;
  const unit = typeof value === 'string' && source.kind !== 'event' ? unitOf(field) : null;
  return {
    label: shortened(label, readingBounds.labelLengthMax),
    value: known ? shorten(textOf(value, source), readingBounds.valueLengthMax) : notKnown(reading),
    ...(unit === null ? {} : { unit }),
    observedAt: known ? observedAt : null,
  };
}

function notKnown(reading: Reading | undefined): string {
  if (reading === undefined) return 'nothing was received';
  switch (reading.status) {
    case 'ready':
      return 'not there';
    case 'unavailable':
      return 'could not be read';
    case 'gap':
      return 'was not read in time';
  }
}

function labelOf({ name, source }: Binding, field: string, symbolOf: SymbolOf): Words {
  if (source.kind === 'event')
    return words`${field === '' ? words`event` : quotedExactly(field)} of ${quotedExactly(name)}`;
  const token = tokenWords(source.tokenId, { symbolOf, quotedLengthMax: shownTokenIdLengthMax });
  return words`${sampledFields[field] ?? quotedExactly(field)} of ${token}`;
}

/** Maximum length, in code points, of a token's id in a label. */
const shownTokenIdLengthMax = 60;

/** Words for the fields of sampled sources. */
const sampledFields: { readonly [field: string]: Words | undefined } = {
  '': words`record`,
  '/priceUsd': words`price`,
  '/amount': words`balance`,
  '/amountRaw': words`balance in smallest units`,
  '/valueUsd': words`value held`,
  '/tokenId': words`id`,
};

function unitOf(field: string): string | null {
  return field === '/priceUsd' || field === '/valueUsd' ? 'USD' : null;
}

function textOf(value: JsonValue, { kind }: Source): string {
  if (value === null) return 'none';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return kind === 'event' ? 'a text' : value;
  return Array.isArray(value) ? 'a list' : 'an object';
}

function shorten(text: string, max: number): string {
  const characters = [...text];
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join('')}…`;
}

/** Names of bindings may be those of members that every object inherits, such as `constructor`. */
function readingOf(readings: Readings, name: string): Reading | undefined {
  return Object.hasOwn(readings, name) ? readings[name] : undefined;
}
