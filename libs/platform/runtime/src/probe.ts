/** The points at which a crash would be most awkward; the crash suite kills the process at each of them. */
export type ProbePoint =
  | 'append:before'
  | 'append:after'
  | 'projection:before-commit'
  | 'projection:after-commit'
  | 'model:before'
  | 'model:after'
  | 'tool:before'
  | 'tool:after'
  | 'provider:before'
  | 'provider:after';

/** Told of each point as it is passed. Does nothing in the product. */
export class Probe {
  reached(_point: ProbePoint): void {
    // Nothing to do: the crash suite binds a probe of its own.
  }
}
