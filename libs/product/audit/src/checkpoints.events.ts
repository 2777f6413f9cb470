import type { Instant } from '@app/kernel';

/** What a log is that signs again: another one, or the one that was there before. */
export const resumedAs = ['copy', 'successor'] as const;
export type ResumedAs = (typeof resumedAs)[number];

/** The last checkpoint of another log, which begins with the same events. */
export interface FormerLog {
  readonly origin: string;
  readonly size: number;
  /** In base64. */
  readonly root: string;
  /** With the lines of its witnesses; null where it was decided and never signed. */
  readonly note: string | null;
}

/** The facts of the log's own stream, which the log does not cover. */
export type CheckpointEvent =
  /** The log has a name from now on: what its checkpoints and its keys begin with. */
  | { readonly type: 'log.opened'; readonly at: Instant; readonly origin: string }
  /** The tree of that size has that root (base64), and ends with the event at that position: decided here, before anybody signs it. */
  | {
      readonly type: 'checkpoint.fixed';
      readonly at: Instant;
      readonly size: number;
      readonly root: string;
      readonly position: number;
    }
  /** The note as the log's key signed it; `key` is how the public key is written. */
  | {
      readonly type: 'checkpoint.signed';
      readonly at: Instant;
      readonly size: number;
      readonly key: string;
      readonly note: string;
    }
  /**
   * The log signs again after it was held (docs/decisions/proof.md, "Copies"). `copy`: under a name of its own from here on, `from` being the
   * last checkpoint of the log that it was copied from. `successor`: the log that was held goes on, and signs only trees larger than `above`,
   * the largest that some witness had seen.
   */
  | {
      readonly type: 'log.resumed';
      readonly at: Instant;
      readonly as: ResumedAs;
      /** Which hold ended with it. */
      readonly hold: string;
      readonly origin: string;
      readonly from: FormerLog | null;
      readonly above: number;
    }
  /** A witness's line under the note. */
  | {
      readonly type: 'checkpoint.cosigned';
      readonly at: Instant;
      readonly size: number;
      readonly witness: string;
      readonly line: string;
    };
