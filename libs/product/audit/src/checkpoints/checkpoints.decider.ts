import { accept, unreachable, type Decider, type Instant } from '@app/kernel';
import type { CheckpointEvent, FormerLog, ResumedAs } from './checkpoints.events';

/** The members of an event, without its type. */
type MembersOf<Type extends CheckpointEvent['type']> = Omit<Extract<CheckpointEvent, { readonly type: Type }>, 'type'>;

export type CheckpointCommand =
  | ({ readonly type: 'Open' } & MembersOf<'log.opened'>)
  | ({ readonly type: 'Fix' } & FixedCheckpoint)
  | ({ readonly type: 'Sign' } & MembersOf<'checkpoint.signed'>)
  | ({ readonly type: 'Cosign' } & MembersOf<'checkpoint.cosigned'>)
  | {
      readonly type: 'Resume';
      readonly at: Instant;
      readonly as: ResumedAs;
      /** The id of the hold to end; a repeated command with the same id does nothing. */
      readonly hold: string;
      /** The new origin of a copy; a successor keeps its own. */
      readonly origin: string;
      /** The size of the largest tree that any witness has seen; 0 if there is none. */
      readonly above: number;
      /** Whether the leaves of the copy are others, because its events were sealed. */
      readonly anew?: true;
    };

/** A decided tree, before it is signed. `position` is that of the last event that it covers. */
export type FixedCheckpoint = MembersOf<'checkpoint.fixed'>;

export interface SignedCheckpoint extends FixedCheckpoint {
  readonly key: string;
  /** The note as the log signed it. */
  readonly note: string;
  readonly cosignatures: readonly { readonly witness: string; readonly line: string }[];
}

export interface CheckpointsState {
  /** Null if the log was never opened. */
  readonly origin: string | null;
  readonly openedAt: Instant | null;
  readonly fixed: FixedCheckpoint | null;
  /**
   * The newest 32 checkpoints (a witness may still sign them), preceded by the last ones signed by witnesses that
   * signed none of the newer ones, at most 16. Newest last.
   */
  readonly signed: readonly SignedCheckpoint[];
  /** Public keys that ever signed, newest last. */
  readonly keys: readonly string[];
  /** The id of the last hold that ended; null if there was none. */
  readonly resumed: string | null;
  /** No tree of that size or below is decided, because a witness saw another history up to there. */
  readonly above: number;
}

/** Checkpoints that a witness has time to answer: more than 10 s, even if receipts keep asking for new ones. */
const lastMax = 32;
const beforeMax = 16;

/**
 * The rules of the log's checkpoints (docs/decisions/proof.md): a decision about a size is final, sizes only grow, and
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
        const { as, at, hold, origin, above, anew } = event;
        // None of the trees that were decided is one of this log's.
        if (anew) return { ...state, resumed: hold, above: 0, origin, openedAt: at, fixed: null, signed: [], keys: [] };
        const resumed = { ...state, resumed: hold, above: Math.max(above, as === 'copy' ? 0 : state.above) };
        // A copy has signed nothing under its own name, so the last decided tree is signed again under that name.
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

/** Whether a tree of that size can be decided now: it is larger than every earlier one, and all of those are signed. */
function isGrown(state: CheckpointsState, size: number): boolean {
  return state.origin !== null && !isUnsigned(state) && size > Math.max(state.fixed?.size ?? 0, state.above);
}

/** The events that end the hold; none if it has already ended. */
function resumedBy(
  { at, as, hold, origin, above, anew }: Extract<CheckpointCommand, { readonly type: 'Resume' }>,
  state: CheckpointsState,
): CheckpointEvent[] {
  if (state.origin === null || state.resumed === hold) return [];
  const resumed = { type: 'log.resumed', at, as, hold } as const;
  return as === 'successor'
    ? [{ ...resumed, origin: state.origin, from: null, above }]
    : [{ ...resumed, origin, from: lastOf(state), above: 0, ...(anew && { anew }) }];
}

/** The checkpoint that a copy begins from; null if nothing was decided yet. */
function lastOf({ origin, fixed, signed }: CheckpointsState): FormerLog | null {
  if (origin === null || fixed === null) return null;
  const { size, root } = fixed;
  const last = signed.at(-1);
  const note = last?.size === size ? last.note + last.cosignatures.map(({ line }) => line).join('') : null;
  return { origin, size, root, note };
}

/** Whether the last decided tree is still unsigned. */
export function isUnsigned({ fixed, signed }: CheckpointsState): boolean {
  return fixed !== null && fixed.size !== (signed.at(-1)?.size ?? 0);
}
