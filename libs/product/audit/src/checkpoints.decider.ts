import { accept, unreachable, type Decider, type Instant } from '@app/kernel';
import type { CheckpointEvent, FormerLog, ResumedAs } from './checkpoints.events';

export type CheckpointCommand =
  | { readonly type: 'Open'; readonly at: Instant; readonly origin: string }
  | {
      readonly type: 'Fix';
      readonly at: Instant;
      readonly size: number;
      readonly root: string;
      readonly position: number;
    }
  | {
      readonly type: 'Sign';
      readonly at: Instant;
      readonly size: number;
      readonly key: string;
      readonly note: string;
    }
  | {
      readonly type: 'Resume';
      readonly at: Instant;
      readonly as: ResumedAs;
      /** Which hold is to end: given again, nothing more happens. */
      readonly hold: string;
      /** Of a copy; a successor keeps its own. */
      readonly origin: string;
      /** The largest tree that some witness has seen; 0 where that is none. */
      readonly above: number;
    }
  | {
      readonly type: 'Cosign';
      readonly at: Instant;
      readonly size: number;
      readonly witness: string;
      readonly line: string;
    };

/** What was decided of a tree, before it was signed. */
export interface FixedCheckpoint {
  readonly at: Instant;
  readonly size: number;
  /** In base64. */
  readonly root: string;
  /** Of the last event that it covers. */
  readonly position: number;
}

export interface SignedCheckpoint extends FixedCheckpoint {
  readonly key: string;
  /** As the log signed it. */
  readonly note: string;
  readonly cosignatures: readonly { readonly witness: string; readonly line: string }[];
}

export interface CheckpointsState {
  /** Null: the log was never opened. */
  readonly origin: string | null;
  readonly openedAt: Instant | null;
  readonly fixed: FixedCheckpoint | null;
  /**
   * The last ones, the newest last: those that a witness may still answer for; and before them the newest that some witnesses signed,
   * where these signed none of the last ones.
   */
  readonly signed: readonly SignedCheckpoint[];
  /** Public keys that ever signed, the newest last. */
  readonly keys: readonly string[];
  /** The hold that ended last; null: there was none. */
  readonly resumed: string | null;
  /** No tree of that size or below is decided on: a witness saw another history up to there. */
  readonly above: number;
}

/** A witness has so many checkpoints' time to answer: more than 10 s, where receipts ask for one after the other. */
const lastMax = 32;
const beforeMax = 16;

/**
 * The rules of the log's checkpoints (docs/decisions/proof.md): what was decided of a size is decided for good, sizes only grow, and
 * nothing is signed that was not decided before.
 */
export const checkpointsDecider: Decider<CheckpointsState, CheckpointCommand, CheckpointEvent> = {
  initialState: { origin: null, openedAt: null, fixed: null, signed: [], keys: [], resumed: null, above: 0 },

  decide: (command, state) => {
    const { at } = command;
    switch (command.type) {
      case 'Open':
        return state.origin === null ? accept({ type: 'log.opened', at, origin: command.origin }) : accept();
      case 'Fix': {
        const { size, root, position } = command;
        if (!isGrown(state, size)) return accept();
        return accept({ type: 'checkpoint.fixed', at, size, root, position });
      }
      case 'Sign': {
        const { size, key, note } = command;
        if (!isUnsigned(state) || state.fixed?.size !== size) return accept();
        return accept({ type: 'checkpoint.signed', at, size, key, note });
      }
      case 'Resume':
        return accept(...resumedBy(command, state));
      case 'Cosign': {
        const { size, witness, line } = command;
        const checkpoint = state.signed.find((signed) => signed.size === size);
        if (checkpoint === undefined || checkpoint.cosignatures.some((other) => other.witness === witness))
          return accept();
        return accept({ type: 'checkpoint.cosigned', at, size, witness, line });
      }
      default:
        return unreachable(command);
    }
  },

  evolve: (state, event) => {
    switch (event.type) {
      case 'log.opened':
        return { ...state, origin: event.origin, openedAt: event.at };
      case 'checkpoint.fixed': {
        const { type: _, ...fixed } = event;
        return { ...state, fixed };
      }
      case 'checkpoint.signed': {
        const { fixed, signed, keys } = state;
        const { key, note } = event;
        if (fixed === null) return state;
        return {
          ...state,
          signed: keptOf([...signed, { ...fixed, key, note, cosignatures: [] }]),
          keys: [...keys.filter((other) => other !== key), key],
        };
      }
      case 'log.resumed': {
        const { as, at, hold, origin, above } = event;
        const resumed = { ...state, resumed: hold, above: Math.max(above, as === 'copy' ? 0 : state.above) };
        // A copy has signed nothing under its own name: what was decided last is signed once more, under that.
        return as === 'successor' ? resumed : { ...resumed, origin, openedAt: at, signed: [], keys: [] };
      }
      case 'checkpoint.cosigned': {
        const { size, witness, line } = event;
        const signed = state.signed.map((one) =>
          one.size === size ? { ...one, cosignatures: [...one.cosignatures, { witness, line }] } : one,
        );
        return { ...state, signed };
      }
      default:
        return unreachable(event);
    }
  },
};

function keptOf(all: readonly SignedCheckpoint[]): SignedCheckpoint[] {
  const isVouchedFor = ({ cosignatures }: SignedCheckpoint, at: number): boolean =>
    cosignatures.length > 0 && !all.slice(at + 1).some((newer) => isSignedByAll(newer, cosignatures));
  return all.filter((one, at) => at >= all.length - lastMax || isVouchedFor(one, at)).slice(-lastMax - beforeMax);
}

function isSignedByAll({ cosignatures }: SignedCheckpoint, others: SignedCheckpoint['cosignatures']): boolean {
  return others.every(({ witness }) => cosignatures.some((one) => one.witness === witness));
}

/** Whether a tree of that size can be decided now: it is larger than all that were, which are signed. */
function isGrown(state: CheckpointsState, size: number): boolean {
  return state.origin !== null && !isUnsigned(state) && size > Math.max(state.fixed?.size ?? 0, state.above);
}

/** What it takes to end the hold; nothing where it has ended. */
function resumedBy(
  { at, as, hold, origin, above }: Extract<CheckpointCommand, { readonly type: 'Resume' }>,
  state: CheckpointsState,
): CheckpointEvent[] {
  if (state.origin === null || state.resumed === hold) return [];
  const resumed = { type: 'log.resumed', at, as, hold } as const;
  return as === 'successor'
    ? [{ ...resumed, origin: state.origin, from: null, above }]
    : [{ ...resumed, origin, from: lastOf(state), above: 0 }];
}

/** What a copy begins from; null where nothing was decided yet. */
function lastOf({ origin, fixed, signed }: CheckpointsState): FormerLog | null {
  if (origin === null || fixed === null) return null;
  const { size, root } = fixed;
  const last = signed.at(-1);
  const note = last?.size === size ? last.note + last.cosignatures.map(({ line }) => line).join('') : null;
  return { origin, size, root, note };
}

/** Whether what was decided last is still to be signed. */
export function isUnsigned({ fixed, signed }: CheckpointsState): boolean {
  return fixed !== null && fixed.size !== (signed.at(-1)?.size ?? 0);
}
