import type { Instant } from '@app/kernel';

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
  /** A witness's line under the note. */
  | {
      readonly type: 'checkpoint.cosigned';
      readonly at: Instant;
      readonly size: number;
      readonly witness: string;
      readonly line: string;
    };
