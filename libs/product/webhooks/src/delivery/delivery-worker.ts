import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Clock, failureWords } from '@app/kernel';
import { Notifications, Processes, type BackgroundWork } from '@app/read-store';
import { Probe, settledWithin } from '@app/runtime';
import { setTimeout as sleep } from 'node:timers/promises';
import { Claims, type Claim } from './claims';
import { Deliverer } from './deliverer';
import { deliveriesChannel } from './delivery-tables';
import { Sender } from './sender';

/** How often a worker polls without a notification: finds lanes that are due again, and lanes claimed by dead workers. Real time. */
const pollMs = 1_000;
/** Attempts that end shortly after each other share one poll. */
const gatherMs = 5;
/** How long a stopping process waits for its attempts. */
const leaveAfterMs = 3_000;

/** Delivers what is due, in every worker: a bounded number of attempts for each endpoint, so that no endpoint waits for another. */
@Injectable()
export class DeliveryWorker implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(DeliveryWorker.name);
  private readonly stopping = new AbortController();
  private readonly abandoning = new AbortController();
  private readonly attempts = new Set<Promise<void>>();
  private readonly busy = new Map<string, number>();
  private loop: Promise<void> = Promise.resolve();
  private wake = (): void => undefined;
  private stopListening = (): void => undefined;

  private readonly health: BackgroundWork;

  constructor(
    private readonly claims: Claims,
    private readonly deliverer: Deliverer,
    private readonly sender: Sender,
    private readonly notifications: Notifications,
    private readonly clock: Clock,
    private readonly probe: Probe,
    processes: Processes,
  ) {
    this.health = processes.watches('webhooks');
  }

  onApplicationBootstrap(): void {
    this.stopListening = this.notifications.on(deliveriesChannel, () => this.wake());
    this.loop = this.work();
  }

  /** Stops claiming and waits briefly for attempts; those still running are aborted and released. */
  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    this.stopListening();
    this.wake();
    await this.loop;
    if (!(await settledWithin([...this.attempts], leaveAfterMs))) this.abandoning.abort();
    await Promise.all(this.attempts);
    this.sender.close();
  }

  private async work(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      // Created before the poll, so that a notification during it ends the pause at once.
      const told = new Promise<void>((resolve) => (this.wake = resolve));
      await this.claimDue();
      let timeout: NodeJS.Timeout | undefined;
      await Promise.race([told, new Promise((resolve) => (timeout = setTimeout(resolve, pollMs)))]);
      clearTimeout(timeout);
      await sleep(gatherMs);
    }
  }

  private async claimDue(): Promise<void> {
    try {
      const claimed = await this.claims.take(this.clock.epochMs(), this.busy);
      this.health.succeeded();
      if (claimed.length > 0) this.probe.reached('webhooks:after-claim');
      for (const claim of claimed) this.setOff(claim);
    } catch (error) {
      this.health.failed();
      this.logger.warn(`due webhooks were not read: ${failureWords(error)}`);
    }
  }

  private setOff(claim: Claim): void {
    this.count(claim, 1);
    const attempt = this.deliverer.attempt(claim, this.abandoning.signal).finally(() => {
      this.count(claim, -1);
      this.attempts.delete(attempt);
      this.wake();
    });
    this.attempts.add(attempt);
  }

  private count({ endpointId }: Claim, more: 1 | -1): void {
    const count = (this.busy.get(endpointId) ?? 0) + more;
    if (count > 0) this.busy.set(endpointId, count);
    else this.busy.delete(endpointId);
  }
}
