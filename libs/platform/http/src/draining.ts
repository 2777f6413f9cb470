import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { settledWithin } from '@app/runtime';
import type { Server } from 'node:http';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';

/** How long the answers to requests that were given up may be in flight. */
const lastAnswersMs = 1_000;
/**
 * A proxy learns from the answers that this process stops, so calls must be refused for as long as one may still send them. The shipped
 * proxies check every half second (docker/haproxy.cfg, docker/Caddyfile); this is longer than that.
 */
const defaultQuietMs = 2_000;

/**
 * Turns of the event loop until a call on a connection that waits to be accepted is seen: one for the connection, one for its bytes, and
 * one spare.
 */
const turnsToTakeUp = 3;

/** Ends the work for clients when the process stops; one per application, injectable anywhere. */
export class Draining {
  private readonly controller = new AbortController();
  private readonly inFlight = new Set<() => void>();
  private whenIdle: (() => void) | null = null;
  private lastCallAtMs = -Infinity;

  /** Aborted when draining begins: open streams end then, so that their clients move on to another replica. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get begun(): boolean {
    return this.controller.signal.aborted;
  }

  /**
   * Registers a request as in flight until the returned function is called.
   * @param giveUp answers at once that the request is not served; called when the time for draining is over
   * @param isProbe whether it only asks for the state of this process, as health checks do during its whole life
   */
  requestBegan(giveUp: () => void, isProbe = false): () => void {
    if (!isProbe) this.lastCallAtMs = performance.now();
    this.inFlight.add(giveUp);
    return () => {
      this.inFlight.delete(giveUp);
      if (this.inFlight.size === 0) this.whenIdle?.();
    };
  }

  /**
   * Begins to drain; settles when no request is in flight and none has arrived for `quietMs`. Requests still in flight after
   * `withinMs` are given up.
   */
  async drain(withinMs: number, quietMs = defaultQuietMs): Promise<void> {
    const deadlineMs = performance.now() + withinMs;
    this.controller.abort();
    if (await this.idleWithin(withinMs)) {
      await this.quiet(quietMs, deadlineMs);
      if (await this.idleWithin(Math.max(0, deadlineMs - performance.now()))) return;
    }
    for (const giveUp of [...this.inFlight]) giveUp();
    await this.idleWithin(lastAnswersMs);
  }

  private async quiet(quietMs: number, deadlineMs: number): Promise<void> {
    for (;;) {
      const restMs = (): number => Math.min(this.lastCallAtMs + quietMs, deadlineMs) - performance.now();
      if (restMs() > 0) await sleep(restMs());
      // A busy process wakes up late: calls that arrived meanwhile are accepted first, because closing would break them off.
      for (let turn = 0; turn < turnsToTakeUp; turn += 1) await setImmediate();
      if (restMs() <= 0) return;
    }
  }

  private async idleWithin(withinMs: number): Promise<boolean> {
    if (this.inFlight.size === 0) return true;
    const idle = new Promise<void>((resolve) => (this.whenIdle = resolve));
    return settledWithin([idle], withinMs);
  }
}

/**
 * Stops an application: new requests are answered 503, `/readyz` reports it, streams end, and requests in flight have `withinMs` to finish
 * and are answered 503 after that; it refuses until no request has arrived for `quietMs`, within the same time. Then it accepts no more
 * connections, those that it has accepted get their answers, and the modules' own shutdown hooks run.
 */
export async function closeGracefully(
  app: NestFastifyApplication,
  withinMs: number,
  { quietMs, onDrained }: { readonly quietMs?: number; readonly onDrained?: () => void } = {},
): Promise<void> {
  await app.get(Draining).drain(withinMs, quietMs);
  onDrained?.();
  await closeListener(app.getHttpServer());
  await app.close();
}

/**
 * Accepts no more connections, and gives requests on those that were accepted `lastAnswersMs` for their 503. Nest would run the modules'
 * hooks first and then destroy every connection: a proxy cannot send a write again that was cut off, but one that was not accepted it can.
 */
async function closeListener(server: Server): Promise<void> {
  await settledWithin([new Promise<void>((resolve) => server.close(() => resolve()))], lastAnswersMs);
}
