/** Stops the code that calls it until the simulation continues it. */
export type Pause = () => Promise<void>;

/**
 * Code that runs in steps from pause to pause, so that many of them can be played in any order, reproducibly. Code that
 * is never stepped again has crashed.
 */
export class Stepwise {
  done = false;
  private failure: { readonly error: unknown } | null = null;
  private goOn: () => void = () => undefined;
  private stopped: () => void = () => undefined;

  constructor(body: (pause: Pause) => Promise<void>) {
    const pause: Pause = () =>
      new Promise((resolve) => {
        this.goOn = resolve;
        this.stopped();
      });
    void this.run(pause, body);
  }

  /** Runs until the next pause or the end. Rethrows errors of the code. */
  async step(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.stopped = resolve;
      this.goOn();
    });
    if (this.failure !== null) throw this.failure.error;
  }

  private async run(pause: Pause, body: (pause: Pause) => Promise<void>): Promise<void> {
    try {
      await pause();
      await body(pause);
    } catch (error) {
      this.failure = { error };
    }
    this.done = true;
    this.stopped();
  }
}
