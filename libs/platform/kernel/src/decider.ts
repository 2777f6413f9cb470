import type { Refusal } from './refusal';

/** The result of a decider: the events that follow from a command, or the reason for its refusal. */
export type Decision<Event> =
  | { readonly accepted: true; readonly events: readonly Event[] }
  | { readonly accepted: false; readonly refusal: Refusal };

/**
 * The rules of one stream: a pure function of state and command, and the fold that computes the state.
 *
 * `decide` never throws for business and `evolve` is total. Clock, randomness and ids are part of the command.
 * @example
 * const switchDecider: Decider<{ isOn: boolean }, { type: 'TurnOn' }, { type: 'turned_on' }> = {
 *   initialState: { isOn: false },
 *   decide: (_, { isOn }) => (isOn ? accept() : accept({ type: 'turned_on' })),
 *   evolve: () => ({ isOn: true }),
 * };
 */
export interface Decider<State, Command, Event extends { readonly type: string }> {
  readonly initialState: State;
  decide(this: void, command: Command, state: State): Decision<Event>;
  evolve(this: void, state: State, event: Event): State;
}

/** Accepts the command with these events; none means that there was nothing left to do. */
export function accept<Event>(...events: readonly Event[]): Decision<Event> {
  return { accepted: true, events };
}

/** Refuses the command; nothing is recorded. */
export function reject<Event>(refusal: Refusal): Decision<Event> {
  return { accepted: false, refusal };
}

/** The effect of each type of event on a value; an event whose type is absent leaves it unchanged. */
export type Folds<Value, Event extends { readonly type: string }> = {
  readonly [Type in Event['type']]?: (value: Value, event: Extract<Event, { readonly type: Type }>) => Value;
};

/**
 * Folds an event into a row or view of a stream, which most new events leave unchanged. A stream's own state handles every event instead:
 * in `evolve` of its decider.
 */
export function applyFold<Value, Event extends { readonly type: string }>(
  folds: Folds<Value, Event>,
  value: Value,
  event: Event,
): Value {
  // Reason for the assertions: the fold under an event's type takes that event, which the compiler cannot infer for a union.
  const fold = folds[event.type as Event['type']] as ((value: Value, event: Event) => Value) | undefined;
  return fold === undefined ? value : fold(value, event);
}

/** Throws for the first event of a stream where it is none that a stream can begin with: the product did not write it. */
export function notBegun({ type }: { readonly type: string }): never {
  throw new Error(`a stream does not begin with ${JSON.stringify(type)}`);
}

/** Marks a branch that the types rule out. Throws when a value reaches it nevertheless, which is a defect. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}
