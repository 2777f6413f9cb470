import {
  accept,
  instantOf,
  type Decider,
  type Instant,
  type Reason,
  type Refusal,
  type WithdrawalChange,
} from '@app/kernel';

/**
 * Given these events, when this command is decided, then these events follow (or the command is refused):
 *
 *     const run = specification(runDecider);
 *     it('starts', () => run.given(created).when(start).then(started));
 *     it('holds the conversation', () => run.given(created, started).when(startOther).thenRefused('run_active'));
 *
 * Each fold is checked as well: `evolve` must not change its arguments, and a state must survive JSON, because
 * snapshots store it that way.
 */
export function specification<State, Command, Event extends { readonly type: string }>(
  decider: Decider<State, Command, Event>,
): Specification<State, Command, Event> {
  const given = (...events: readonly Event[]): Given<State, Command, Event> => {
    const state = fold(decider, decider.initialState, events);
    return { state, when: (command) => outcome(decider, state, command) };
  };
  return { given, when: (command) => given().when(command) };
}

export interface Specification<State, Command, Event> {
  /** The events that the stream already holds, oldest first. */
  given(this: void, ...events: readonly Event[]): Given<State, Command, Event>;
  /** Runs the command on an empty stream. */
  when(this: void, command: Command): Outcome<Event>;
}

export interface Given<State, Command, Event> {
  /** The state that the events fold to. */
  readonly state: State;
  when(this: void, command: Command): Outcome<Event>;
}

/** The expected decision. A test that calls none of these fails, because jest takes the object for a promise. */
export interface Outcome<Event> {
  /** Accepted, with exactly these events. */
  then(this: void, ...events: readonly Event[]): void;
  /** Like `then`; and the same command given again changes nothing more. */
  thenOnce(this: void, ...events: readonly Event[]): void;
  /** Accepted, without events. */
  thenNothing(this: void): void;
  /** Refused for this reason; `retryable`, `change` and `path` (of the first issue) are compared if they are given. */
  thenRefused(this: void, reason: Reason | 'not_found', details?: RefusalDetails): void;
}

interface RefusalDetails {
  readonly retryable?: boolean;
  readonly path?: string;
  readonly change?: WithdrawalChange;
}

/** Folds events on a state, and checks that `evolve` changes nothing in place and that the state survives JSON. */
export function fold<State, Event extends { readonly type: string }>(
  { evolve }: Pick<Decider<State, never, Event>, 'evolve'>,
  from: State,
  events: readonly Event[],
): State {
  const state = events.reduce((before, event) => frozen(evolve(frozen(before), frozen(event))), frozen(from));
  expect(JSON.parse(JSON.stringify(state))).toStrictEqual(state);
  return state;
}

/** Returns an instant from its ISO 8601 form; midnight if the time is left out. */
export function instant(text: string): Instant {
  return instantOf(Date.parse(text));
}

function outcome<State, Command, Event extends { readonly type: string }>(
  decider: Decider<State, Command, Event>,
  state: State,
  command: Command,
): Outcome<Event> {
  const decision = decider.decide(frozen(command), state);
  const then = (...events: readonly Event[]): void => expect(decision).toStrictEqual(accept(...events));
  return {
    then,
    thenOnce: (...events) => {
      then(...events);
      expect(decider.decide(command, fold(decider, state, events))).toStrictEqual(accept());
    },
    thenNothing: () => then(),
    thenRefused: (reason, details = {}) => {
      const refusal = decision.accepted ? null : decision.refusal;
      expect({ refusedFor: refusal && nameOf(refusal), decision }).toMatchObject({ refusedFor: reason });
      expect(refusal).toMatchObject(expectedMembers(details));
    },
  };
}

function nameOf(refusal: Refusal): string {
  return refusal.kind === 'reason' ? refusal.reason : refusal.kind;
}

function expectedMembers({ retryable, path, change }: RefusalDetails): object {
  return {
    ...(change === undefined ? {} : { change }),
    ...(retryable === undefined ? {} : { retryable }),
    ...(path === undefined ? {} : { issues: [{ path }] }),
  };
}

/** Returns the value itself, frozen deeply, so that a change in place throws. */
function frozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(frozen);
  }
  return value;
}
