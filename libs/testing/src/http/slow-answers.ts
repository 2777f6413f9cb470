import { setTimeout as sleep } from 'node:timers/promises';

/** The usual wait for an answer. */
const usualMs = 300;

/** Decides when `/sandbox/v1/slow` is answered: after a moment, or when a test that holds it lets it go. */
export class SlowAnswers {
  /** The number of requests that wait for their answer now. */
  waiting = 0;
  private held: Promise<void> | null = null;

  /** Holds all answers from now on. @returns a function that lets them go */
  hold(): () => void {
    let letGo = (): void => undefined;
    this.held = new Promise((resolve) => (letGo = resolve));
    return () => letGo();
  }

  /** Resolves when a request may be answered. */
  async due(): Promise<void> {
    this.waiting += 1;
    await (this.held ?? sleep(usualMs));
    this.waiting -= 1;
  }
}
