import type { Refusal } from './refusal';

/** What a decider answers: the events that follow from a command, or why nothing may happen. */
export type Decision<Event> =
  | { readonly accepted: true; readonly events: readonly Event[] }
  | { readonly accepted: false; readonly refusal: Refusal };

/**
 * The rules of one stream: a pure function of state and command, and the fold that makes the state.
 *
 * `decide` never throws for business and `evolve` is total. Clock, randomness and ids come in with the command.
 */
export interface Decider<State, Command, Event extends { readonly type: string }> {
  readonly initialState: State;
  decide(this: void, command: Command, state: State): Decision<Event>;
  evolve(this: void, state: State, event: Event): State;
}

/** The command is accepted and these events happened; none means that there was nothing left to do. */
export function accept<Event>(...events: readonly Event[]): Decision<Event> {
  return { accepted: true, events };
}

/** The command is refused; nothing is recorded. */
export function reject<Event>(refusal: Refusal): Decision<Event> {
  return { accepted: false, refusal };
}

/** What each type of event does to a value; an event whose type is absent leaves it as it is. */
export type Folds<Value, Event extends { readonly type: string }> = {
  readonly [Type in Event['type']]?: (value: Value, event: Extract<Event, { readonly type: Type }>) => Value;
};

/**
 * Folds an event into what is read of a stream, such as a row or a view, which most new events leave alone. A stream's own state names
 * every event instead: `evolve` of its decider.
 */
export function applyFold<Value, Event extends { readonly type: string }>(
  folds: Folds<Value, Event>,
  value: Value,
  event: Event,
): Value {
  // Reason for the assertions: the fold under an event's type takes that event, which the compiler does not see in a union.
  const fold = folds[event.type as Event['type']] as ((value: Value, event: Event) => Value) | undefined;
  return fold === undefined ? value : fold(value, event);
}

/** Marks a branch that the types rule out. Throws when a value got there all the same, which is a defect. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}
