import type { Instant, MarksOf } from '@app/kernel';

/** How many rows and files of a user were removed, by kind. None of them is needed to prove anything. */
export interface Purged {
  readonly snapshots: number;
  readonly artifacts: number;
  /** Files that the artifact store does not let this service remove: only the destroyed keys protect them. */
  readonly artifactsKept: number;
  readonly deliveries: number;
  readonly samples: number;
  readonly timers: number;
  readonly checks: number;
}

/** The keys of a user that are destroyed, by what they were for. */
export interface KeysDestroyed {
  readonly user: number;
  readonly conversations: number;
  readonly identities: number;
}

/** How old versions of rows, which keep destroyed keys, were removed. */
export const keyTables = ['rewritten', 'vacuumed'] as const;
export type KeyTable = (typeof keyTables)[number];

/** The facts of one user's erasure, in stream `erasure-<userId>`. None of them has words of the user, so they stay readable. */
export type ErasureEvent =
  /** An operator asked; again, where words were left. */
  | { readonly type: 'erasure.requested'; readonly at: Instant; readonly reason: string }
  /** No process can open the user's words any more, apart from those that have a key in memory, for less than a minute. */
  | {
      readonly type: 'erasure.keys_destroyed';
      readonly at: Instant;
      readonly keys: KeysDestroyed;
      /** Financial operations that were not over within a day. */
      readonly operationsInFlight: number;
      /** The newest signed checkpoint of before, as a note; null where there was none. */
      readonly checkpoint: string | null;
    }
  /** Nothing of the user goes on, and what need not be kept is removed. */
  | {
      readonly type: 'erasure.purged';
      readonly at: Instant;
      readonly purged: Purged;
      /** `vacuumed`: too large to be rewritten, so bytes of wrapped keys may stay in its file until others take their place. */
      readonly keyTable: KeyTable;
    }
  /** An earlier version wrote words in clear, which only `parley migrate-events --seal` can close. */
  | {
      readonly type: 'erasure.words_left';
      readonly at: Instant;
      readonly events: number;
      /** Names of the first streams with such events. */
      readonly streams: readonly string[];
      readonly streamsInAll: number;
    }
  | {
      readonly type: 'erasure.completed';
      readonly at: Instant;
      /** Events whose words nobody can open any more. */
      readonly closedEvents: number;
      /** The certificate: a note signed by the log's key. */
      readonly certificate: string;
    };

export const erasureMembers: MarksOf<ErasureEvent> = {
  'erasure.requested': { reason: 'clear' },
  'erasure.keys_destroyed': { keys: 'clear', operationsInFlight: 'clear', checkpoint: 'clear' },
  'erasure.purged': { purged: 'clear', keyTable: 'clear' },
  'erasure.words_left': { events: 'clear', streams: 'clear', streamsInAll: 'clear' },
  'erasure.completed': { closedEvents: 'clear', certificate: 'clear' },
};
