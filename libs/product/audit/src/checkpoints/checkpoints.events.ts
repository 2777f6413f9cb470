import type { Instant, MarksOf } from '@app/kernel';

/** How a held log resumes: as a copy with a name of its own, or as the successor of the previous one. */
export const resumedAs = ['copy', 'successor'] as const;
export type ResumedAs = (typeof resumedAs)[number];

/** The last checkpoint of another log, which begins with the same events. */
export interface FormerLog {
  readonly origin: string;
  readonly size: number;
  /** In base64. */
  readonly root: string;
  /** The note with its witnesses' lines; null if the checkpoint was decided and never signed. */
  readonly note: string | null;
}

/** The events of the log's own stream, which the log does not cover. */
export type CheckpointEvent =
  /** Names the log: its checkpoints and its keys begin with that origin. */
  | { readonly type: 'log.opened'; readonly at: Instant; readonly origin: string }
  /** Decides that the tree of that size has that root (base64) and ends at that position; signed later. */
  | {
      readonly type: 'checkpoint.fixed';
      readonly at: Instant;
      readonly size: number;
      readonly root: string;
      readonly position: number;
    }
  /** The note as the log's key signed it; `key` is the public key in its text form. */
  | {
      readonly type: 'checkpoint.signed';
      readonly at: Instant;
      readonly size: number;
      readonly key: string;
      readonly note: string;
    }
  /**
   * The log signs again after a hold (docs/decisions/proof.md, "Copies"). `copy`: from here on under a name of its own;
   * `from` is the last checkpoint of the log that it was copied from. `successor`: the held log continues, and signs
   * only trees larger than `above`, the largest that any witness has seen.
   */
  | {
      readonly type: 'log.resumed';
      readonly at: Instant;
      readonly as: ResumedAs;
      /** The id of the hold that this ended. */
      readonly hold: string;
      readonly origin: string;
      readonly from: FormerLog | null;
      readonly above: number;
      /**
       * Set where the words of persons were sealed while the events were copied: every leaf is another one, so this log
       * begins with an empty tree, and `from` is the last word on the events as they were before.
       */
      readonly anew?: true;
    }
  /** A witness's line under the note. */
  | {
      readonly type: 'checkpoint.cosigned';
      readonly at: Instant;
      readonly size: number;
      readonly witness: string;
      readonly line: string;
    };

export const checkpointMembers: MarksOf<CheckpointEvent> = {
  'log.opened': { origin: 'clear' },
  'checkpoint.fixed': { size: 'clear', root: 'clear', position: 'clear' },
  'checkpoint.signed': { size: 'clear', key: 'clear', note: 'clear' },
  'log.resumed': { as: 'clear', hold: 'clear', origin: 'clear', from: 'clear', above: 'clear', anew: 'clear' },
  'checkpoint.cosigned': { size: 'clear', witness: 'clear', line: 'clear' },
};
