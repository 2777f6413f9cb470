import { accept, asId, because, instantOf, reject, type Cause, type Decider, type Instant } from '@app/kernel';
import type { StreamKind } from '@app/event-store';
import { v7 as uuidV7 } from 'uuid';

/** The smallest domain with everything that the stores must handle: it counts distinct numbers until it is closed. */
export type CounterEvent = Counted | { readonly type: 'counter.closed'; readonly at: Instant };

interface Counted {
  readonly type: 'counter.counted';
  readonly at: Instant;
  readonly n: number;
  readonly note: string;
}

export type CounterCommand =
  { readonly type: 'Count'; readonly n: number; readonly note?: string } | { readonly type: 'Close' };

export interface CounterState {
  readonly counted: readonly number[];
  readonly lastNote: string | null;
  readonly closed: boolean;
}

const at = instantOf(Date.parse('2026-03-01T12:00:00.000Z'));

const counterDecider: Decider<CounterState, CounterCommand, CounterEvent> = {
  initialState: { counted: [], lastNote: null, closed: false },
  decide(command, state) {
    if (command.type === 'Close') return state.closed ? accept() : accept({ type: 'counter.closed', at });
    if (state.counted.includes(command.n)) return accept();
    if (state.closed) return reject(because('run_not_active'));
    return accept({ type: 'counter.counted', at, n: command.n, note: command.note ?? `note ${command.n}` });
  },
  evolve(state, event) {
    return event.type === 'counter.closed'
      ? { ...state, closed: true }
      : { ...state, counted: [...state.counted, event.n], lastNote: event.note };
  },
};

/** `note` is private: it is stored next to the event, not in it. */
export const counterKind: StreamKind<CounterState, CounterCommand, CounterEvent> = {
  category: 'counter',
  decider: counterDecider,
  privateMembers: { 'counter.counted': ['note'] },
  members: { 'counter.counted': { n: 'clear', note: 'clear' }, 'counter.closed': {} },
  stateVersion: 1,
};

export function counted(n: number): Counted {
  return { type: 'counter.counted', at, n, note: `note ${n}` };
}

export function someCause(): Cause {
  const id = uuidV7();
  return { actor: { kind: 'service', id: 'test' }, requestId: asId(id), correlationId: id, causationId: uuidV7() };
}
