import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, TestClient } from '@app/testing/client';
import type { Acknowledged } from '@app/testing/journeys';

const pauseMs = 50;
/** The pause of a caller that was served, because everything started must end before it can be audited. */
const restMs = process.env['FIGURES'] === 'full' ? 0 : 100;
const samplesMax = 20;

/**
 * Callers that create conversations and start runs (with FIGURES=full without a pause) and record the acknowledgements.
 */
export class Load {
  readonly acknowledged: Acknowledged[] = [];
  /** Answers that a caller must never get: neither a 2xx nor a 503 that permits a retry. */
  readonly wrong: string[] = [];
  refusals = 0;
  slowestMs = 0;
  private over = false;
  private readonly callers: Promise<void>[];
  private readonly lastServedMs: number[];

  constructor(clients: readonly TestClient[]) {
    this.lastServedMs = clients.map(() => performance.now());
    this.callers = clients.map((client, index) => this.call(client, index));
  }

  /** Waits until every caller was served once more. Returns how long the slowest of them had to wait. */
  async untilServed(withinMs: number): Promise<number> {
    const fromMs = performance.now();
    while (this.lastServedMs.some((servedMs) => servedMs < fromMs)) {
      if (performance.now() - fromMs > withinMs) throw new Error(`not served within ${withinMs} ms`);
      await sleep(10);
    }
    return performance.now() - fromMs;
  }

  async stop(): Promise<void> {
    this.over = true;
    await Promise.all(this.callers);
  }

  private async call(client: TestClient, index: number): Promise<void> {
    while (!this.over) {
      const created = await this.served<{ id: string }>(() => client.post('/conversations', {}));
      if (created === null) return;
      const conversationId = created.id;
      this.acknowledged.push({ kind: 'created', conversationId });
      const asked = { conversationId, runId: randomUUID(), input: { text: 'repeat after me: again' } };
      const started = await this.served<{ seq: number }>(() => client.post('/agent-runs', asked));
      if (started === null) return;
      this.acknowledged.push({ kind: 'started', conversationId, runId: asked.runId, seq: started.seq });
      this.lastServedMs[index] = performance.now();
      await sleep(restMs);
    }
  }

  /** Returns the body of a 2xx, or null if the load ends before there is one. */
  private async served<Body>(ask: () => Promise<Answer>): Promise<Body | null> {
    while (!this.over) {
      const askedAtMs = performance.now();
      const { status, body } = await ask().catch((error: unknown) => ({ status: 0, body: { error: String(error) } }));
      this.slowestMs = Math.max(this.slowestMs, performance.now() - askedAtMs);
      // Reason for the assertion: the caller knows the type of the answer to its request.
      if (status >= 200 && status < 300) return body as Body;
      const mayAskAgain = status === 503 && 'retryable' in body && body['retryable'] === true;
      if (mayAskAgain) this.refusals += 1;
      else if (this.wrong.length < samplesMax) this.wrong.push(`${status} ${JSON.stringify(body)}`);
      await sleep(pauseMs);
    }
    return null;
  }
}
