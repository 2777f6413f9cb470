/** Progress of the read models. Declared here so that a write can wait for them; the read store implements it. */
export abstract class ReadModels {
  /** Resolves when the read models have passed the position, or cannot be awaited any longer; at once for null. Never throws. */
  abstract waitForProjection(position: number | null): Promise<void>;
}
