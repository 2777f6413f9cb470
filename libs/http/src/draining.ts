import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { settledWithin } from '@app/runtime';

/** How long the answers to requests that were given up may be on their way. */
const lastAnswersMs = 1_000;

/** How a stopping process lets go of its clients; one per application, injectable anywhere. */
export class Draining {
  private readonly controller = new AbortController();
  private readonly inFlight = new Set<() => void>();
  private whenIdle: (() => void) | null = null;

  /** Aborted when draining begins: open streams end then, so that their clients move on to another replica. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get begun(): boolean {
    return this.controller.signal.aborted;
  }

  /**
   * A request is in flight until what this answers is called.
   * @param giveUp answers it at once that it is not served; called when the time for draining is over
   */
  requestBegan(giveUp: () => void): () => void {
    this.inFlight.add(giveUp);
    return () => {
      this.inFlight.delete(giveUp);
      if (this.inFlight.size === 0) this.whenIdle?.();
    };
  }

  /** Begins to drain; settles when no request is in flight any more. Those that are when the time is over are given up. */
  async drain(withinMs: number): Promise<void> {
    this.controller.abort();
    if (await this.idleWithin(withinMs)) return;
    for (const giveUp of [...this.inFlight]) giveUp();
    await this.idleWithin(lastAnswersMs);
  }

  private async idleWithin(withinMs: number): Promise<boolean> {
    if (this.inFlight.size === 0) return true;
    const idle = new Promise<void>((resolve) => (this.whenIdle = resolve));
    return settledWithin([idle], withinMs);
  }
}

/**
 * Stops an application: new requests are answered 503, `/readyz` says so, streams end, and requests in flight have
 * `withinMs` to finish, or are answered 503 then; connections are closed and the modules' own shutdown hooks run.
 */
export async function closeGracefully(
  app: NestFastifyApplication,
  withinMs: number,
  onDrained: () => void = () => undefined,
): Promise<void> {
  await app.get(Draining).drain(withinMs);
  onDrained();
  await app.close();
}
