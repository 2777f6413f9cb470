import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { EventStore } from '@app/event-store';
import { Database, keepLeading } from '@app/read-store';
import { FanOut, fannedOutCategories } from './fan-out';
import { Housekeeping } from './housekeeping';

/** Runs in one process of the deployment for all webhooks: decides who gets which event, and maintains the deliveries. */
@Injectable()
export class WebhooksLead implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly stopping = new AbortController();
  private leading: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly store: EventStore,
    private readonly fanOut: FanOut,
    private readonly housekeeping: Housekeeping,
  ) {}

  onApplicationBootstrap(): void {
    this.store.shared.expect(fannedOutCategories);
    const { leaderSession } = this.database;
    this.leading = keepLeading(leaderSession, 'webhooks', this.stopping.signal, (signal) => this.lead(signal));
  }

  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await this.leading;
  }

  private async lead(leading: AbortSignal): Promise<void> {
    const ending = new AbortController();
    const signal = AbortSignal.any([leading, ending.signal]);
    const keeping = this.housekeeping.keep(signal, () => this.fanOut.known.length > 0);
    try {
      await this.fanOut.lead(leading);
    } finally {
      ending.abort();
      await keeping;
    }
  }
}
