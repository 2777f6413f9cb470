/** How far the read models are. Declared here, so that a write can wait for them; the read store implements it. */
export abstract class ReadModels {
  /** Resolves when the read models have passed the position, or cannot be waited for any longer; null: at once. Never throws. */
  abstract waitForProjection(position: number | null): Promise<void>;
}
