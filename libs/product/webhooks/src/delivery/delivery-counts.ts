import { Injectable } from '@nestjs/common';
import { Metrics } from '@app/runtime';
import { Counter, Histogram } from 'prom-client';
import type { Consequence, Outcome } from './retry-policy';

/** Metrics of this process's attempts, for `GET /metrics`. */
@Injectable()
export class DeliveryCounts {
  private readonly attempts: Counter<'outcome'>;
  private readonly latency: Histogram;

  constructor({ registry }: Metrics) {
    this.attempts = new Counter({
      name: 'parley_webhook_attempts_total',
      help: 'Attempts to deliver a webhook, by outcome: delivered, failed (it is tried again), given_up (it is not)',
      labelNames: ['outcome'],
      registers: [registry],
    });
    this.latency = new Histogram({
      name: 'parley_webhook_delivery_seconds',
      help: 'From the event, by the service clock, until an endpoint has taken it, of webhooks whose first attempt succeeded',
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60],
      registers: [registry],
    });
  }

  /** @param tookMs time since the event */
  attempted(outcome: Outcome, { delivery }: Consequence, tookMs: number): void {
    const failed = delivery.state === 'given_up' ? 'given_up' : 'failed';
    this.attempts.inc({ outcome: outcome.kind === 'delivered' ? 'delivered' : failed });
    if (outcome.kind === 'delivered' && delivery.attempts === 1) this.latency.observe(Math.max(0, tookMs) / 1000);
  }
}
