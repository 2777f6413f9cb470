/** How the rules model misbehaves; the sandbox sets it (docs/decisions/sandbox.md, "Faults"). */
export interface ModelFault {
  /** How long a step of the rules model takes, spread evenly over its words; null: 40 ms a word. */
  readonly delayMs: number | null;
  /** Whether every step of the rules model fails. */
  readonly fail: boolean;
}

/** What the engine asks before each step of the rules model. */
export abstract class ModelFaults {
  abstract current(): ModelFault;
}

/** The faults of every mode but the sandbox: none. */
export class NoFaults extends ModelFaults {
  current(): ModelFault {
    return { delayMs: null, fail: false };
  }
}
