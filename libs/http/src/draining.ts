import type { NestFastifyApplication } from '@nestjs/platform-fastify';

/** How a stopping process lets go of its clients; one per application, injectable anywhere. */
export class Draining {
  private readonly controller = new AbortController();
  private inFlight = 0;
  private whenIdle: (() => void) | null = null;

  /** Aborted when draining begins: open streams end then, so that their clients move on to another replica. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get begun(): boolean {
    return this.controller.signal.aborted;
  }

  requestBegan(): void {
    this.inFlight += 1;
  }

  requestEnded(): void {
    this.inFlight -= 1;
    if (this.inFlight === 0) this.whenIdle?.();
  }

  /** Begins to drain; settles when no request is in flight any more, or the time is over. */
  async drain(withinMs: number): Promise<void> {
    this.controller.abort();
    if (this.inFlight === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      this.whenIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/**
 * Stops an application: new requests are answered 503, `/readyz` says so, streams end, and requests in flight have
 * `withinMs` to finish; then connections are closed and the modules' own shutdown hooks run.
 */
export async function closeGracefully(app: NestFastifyApplication, withinMs: number): Promise<void> {
  await app.get(Draining).drain(withinMs);
  await app.close();
}
