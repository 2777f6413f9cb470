import { setTimeout as sleep } from 'node:timers/promises';
import { succeeded } from './operator-api';
import type { Call, OperatorApi } from './operator-call';
import { NoAnswer } from '../terminal/outcome';

const askAgainMs = 500;
/** A service that restarts meanwhile continues what was begun. */
const patienceMs = 120_000;

/** The operator API for a long command: waits up to two minutes for a service that has answered before and is unavailable now. */
export class PatientApi {
  private heardMs: number | null = null;

  constructor(private readonly api: OperatorApi) {}

  /** Reads, as often as necessary. Throws refusals, and NoAnswer in the end. */
  async read<Answer>(path: string): Promise<Answer> {
    return this.insist(() => this.once<Answer>({ method: 'GET', path }));
  }

  /**
   * Makes a change. The body first checks whether the change was made already, and runs again when its answer is lost. Throws as `read`.
   */
  async insist<Value>(body: () => Promise<Value>): Promise<Value> {
    for (;;) {
      try {
        return await body();
      } catch (error) {
        const isNew = this.heardMs === null || performance.now() - this.heardMs > patienceMs;
        if (isNew || !(error instanceof NoAnswer)) throw error;
        await sleep(askAgainMs);
      }
    }
  }

  /** Throws refusals, and NoAnswer. */
  async once<Answer>(call: Call): Promise<Answer> {
    const answered = await this.api.call(call);
    if (answered.status === 503) throw new NoAnswer('the service cannot answer now');
    this.heardMs = performance.now();
    // Reason for the assertion: the answer's shape is the contract's, which the caller names.
    return succeeded(answered) as Answer;
  }
}
