import type { Contract } from '@app/consent';
import { isErased, isSealed, shown } from '@app/kernel';
import type { Erased, Instant, JsonObject, Sealed } from '@app/kernel';
import type { Condition, ShownCondition, StoredCondition } from '../condition/condition';

/** Bounds of a definition (docs/decisions/automations.md; docs/choices.md). */
export const definitionBounds = {
  nameLengthMax: 120,
  promptLengthMax: 8192,
  /** Longest cron expression. */
  expressionLengthMax: 256,
  timezoneLengthMax: 64,
  everySecondsMin: 60,
  everySecondsMax: 2_678_400,
  typesMax: 16,
  cooldownSecondsMax: 2_678_400,
  retrySecondsMax: 86_400,
  retrySecondsDefault: 900,
  occurrencesMax: 1_000_000,
} as const;

/** A rule as its user defines it (docs/decisions/automations.md, "AutomationDefinition"). */
export type AutomationDefinition = DefinitionOf<never, Condition>;

/** A definition as events and states hold it: the words of its user are sealed in the store, and erased once their key is destroyed. */
export type StoredDefinition = DefinitionOf<Sealed | Erased, StoredCondition>;

/** A definition as answers show it. */
export type ShownDefinition = DefinitionOf<Erased, ShownCondition>;

interface DefinitionOf<Closed, When> {
  /** 1 to 120 characters. */
  readonly name: string | Closed;
  /** The task of the agent at each occurrence: 1 to 8192 characters. */
  readonly prompt: string | Closed;
  /** As in `runs.start`. */
  readonly profile?: JsonObject | Closed;
  /** A new conversation for each occurrence, or one for all of them. */
  readonly conversation: 'new' | 'same';
  readonly wake: Wake;
  readonly condition: When | null;
  readonly firing: FiringPolicy;
  /** Has `bounds`. Once the user has approved it, the agent may act within it without asking again. */
  readonly contract?: Contract;
}

/** When the rule is evaluated. */
export type Wake =
  | { readonly kind: 'schedule'; readonly schedule: Schedule }
  | { readonly kind: 'event'; readonly types: readonly string[] };

export type Schedule =
  /** Five fields, in an IANA time zone. */
  | { readonly kind: 'cron'; readonly expression: string; readonly timezone: string }
  /** 60 to 2678400, from the epoch's first instant on. */
  | { readonly kind: 'every'; readonly seconds: number }
  | { readonly kind: 'once'; readonly at: Instant };

/** How matches lead to occurrences. */
export interface FiringPolicy {
  /**
   * `match`: every match fires; `edge`: a match fires unless the last known verdict was a match too; `once`: only the
   * first match fires.
   */
  readonly trigger: 'match' | 'edge' | 'once';
  /** After an accepted occurrence: 0 to 2678400. */
  readonly cooldownSeconds: number;
  /** The treatment of a match while an occurrence is active. */
  readonly overlap: 'skip' | 'coalesce' | 'queue';
  /** For how many seconds a failed admission is tried again: 0 to 86400. */
  readonly retryForSeconds: number;
  /** The automation is completed after this many accepted occurrences. */
  readonly maxOccurrences?: number;
  /** Nothing fires from this instant on. */
  readonly endAt?: Instant;
}

/** Returns the definition if all its words are open; null where they were erased. */
export function openDefinition(stored: StoredDefinition): AutomationDefinition | null {
  const words = [stored.name, stored.prompt, stored.profile, stored.condition?.rule];
  // Reason for the assertion: these are all the members of which the two types differ.
  return words.some((one) => isSealed(one) || isErased(one)) ? null : (stored as AutomationDefinition);
}

/** Returns the definition as answers show it, its members in the same order. */
export function shownDefinition(stored: StoredDefinition): ShownDefinition {
  const { name, prompt, profile, condition } = stored;
  const words = { name: shown(name), prompt: shown(prompt), ...(profile !== undefined && { profile: shown(profile) }) };
  const when = condition && { ...condition, rule: shown(condition.rule) };
  // Reason for the assertion: these are all the members of which the two types differ.
  return { ...stored, ...words, condition: when } as ShownDefinition;
}
