import { Injectable } from '@nestjs/common';
import { Clock } from '@app/kernel';
import { Database } from '@app/read-store';
import { Metrics, polledGauges } from '@app/runtime';
import { Counter, Histogram } from 'prom-client';
import { disabledCauses, type DisabledBecause } from '../endpoint/endpoint.events';
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

const gauges = {
  parley_webhook_oldest_pending_seconds: {
    help: 'Age, by the service clock, of the oldest webhook that an endpoint has not taken and that is still attempted; 0 where there is none',
  },
  parley_webhook_overdue_seconds: {
    help: 'For how long, by the service clock, the webhook that has waited longest has been due, of endpoints that do not fail; 0 where none is',
  },
  parley_webhook_endpoints_failing: { help: 'Enabled endpoints whose last attempt failed' },
  parley_webhook_endpoints_disabled: {
    help: 'Endpoints that are disabled: gone (they answered 410), failing (nothing but failures for five days), or operator (by one)',
    labelNames: ['because'],
  },
};

interface Disabled {
  readonly because: DisabledBecause;
  readonly count: number;
}

interface Figures {
  readonly oldest: number | null;
  readonly due: number | null;
  readonly failing: number;
}

/** Reports the state of deliveries, in every process, so that it is reported even if no worker is alive. */
@Injectable()
export class DeliveryFigures {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    polledGauges(metrics, gauges, () => this.figures());
  }

  private async figures() {
    const nowMs = this.clock.epochMs();
    const [row] = await this.database.query<Figures>(statement, [nowMs]);
    const disabled = await this.database.query<Disabled>(disabledStatement);
    const secondsSince = (ms: number | null | undefined): number => Math.max(0, nowMs - (ms ?? nowMs)) / 1000;
    return [
      { name: 'parley_webhook_oldest_pending_seconds', value: secondsSince(row?.oldest) },
      { name: 'parley_webhook_overdue_seconds', value: secondsSince(row?.due) },
      { name: 'parley_webhook_endpoints_failing', value: row?.failing ?? 0 },
      ...disabledCauses.map((because) => {
        const value = disabled.find((one) => one.because === because)?.count ?? 0;
        return { name: 'parley_webhook_endpoints_disabled', labels: { because }, value } as const;
      }),
    ] as const;
  }
}

const disabledStatement = `
  SELECT disabled_because AS because, count(*)::integer AS count FROM {webhook_endpoints}
  WHERE disabled_because IS NOT NULL AND deleted_at IS NULL GROUP BY 1`;

/** A few index reads for each endpoint. */
const statement = `
  SELECT min(oldest.created_at_ms) AS oldest, min(due.due_at_ms) FILTER (WHERE t.failures = 0) AS due,
    count(*) FILTER (WHERE t.failures > 0)::integer AS failing
  FROM webhook_targets AS t
  LEFT JOIN LATERAL (
    SELECT d.created_at_ms FROM webhook_deliveries AS d
    WHERE d.endpoint_id = t.endpoint_id AND d.state = 'pending' ORDER BY d.seq LIMIT 1) AS oldest ON true
  LEFT JOIN LATERAL (
    SELECT l.due_at_ms FROM webhook_lanes AS l
    WHERE l.endpoint_id = t.endpoint_id AND l.due_at_ms <= $1 ORDER BY l.due_at_ms LIMIT 1) AS due ON true
  WHERE t.is_enabled`;
