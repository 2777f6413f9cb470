/** Faults of the rules model, which the sandbox sets (docs/decisions/sandbox.md, "Faults"). */
export interface ModelFault {
  /** Duration of a step of the rules model, spread evenly over its words; null for 40 ms a word. */
  readonly delayMs: number | null;
  /** Whether every step of the rules model fails. */
  readonly fail: boolean;
}

/** The source of faults that the engine reads before each step of the rules model. */
export abstract class ModelFaults {
  abstract current(): ModelFault;
}

/** The faults of every mode except the sandbox: none. */
export class NoFaults extends ModelFaults {
  current(): ModelFault {
    return { delayMs: null, fail: false };
  }
}
