import type { Contract } from '@app/consent';
import type { Instant, JsonObject } from '@app/kernel';
import type { Condition } from '../condition/condition';

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
export interface AutomationDefinition {
  /** 1 to 120 characters. */
  readonly name: string;
  /** The task of the agent at each occurrence: 1 to 8192 characters. */
  readonly prompt: string;
  /** As in `runs.start`. */
  readonly profile?: JsonObject;
  /** A new conversation for each occurrence, or one for all of them. */
  readonly conversation: 'new' | 'same';
  readonly wake: Wake;
  readonly condition: Condition | null;
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
