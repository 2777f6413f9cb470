import { Injectable } from '@nestjs/common';
import { Clock, epochMsOf, type Instant } from '@app/kernel';
import { Database } from '@app/read-store';
import { polledGauges, Metrics } from '@app/runtime';

/** Maximum number of operations counted by one query; larger counts are cut off there. */
const lookedAtMax = 10_000;

const gauges = {
  parley_settlements_under_way: {
    help: `Financial operations that a user confirmed and that are not over, by status (submitted, unresolved); at most ${lookedAtMax} are counted`,
    labelNames: ['status'],
  },
  parley_settlement_quiet_seconds: {
    help: 'For how long, by the service clock, nothing has happened to the unsettled operation that has been quiet for longest',
  },
};

/** Reports unsettled operations, in every process, so that they are reported even if no worker is alive. */
@Injectable()
export class SettlementFigures {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    polledGauges(metrics, gauges, () => this.underWay());
  }

  private async underWay() {
    const rows = await this.database.query<{ status: string; count: number; since: Instant }>(
      `SELECT status, count(*)::int AS count, min(updated_at) AS since FROM (
         SELECT status, updated_at FROM {financial_operations} WHERE status IN ('submitted', 'unresolved') LIMIT $1) AS open
       GROUP BY status`,
      [lookedAtMax],
    );
    const nowMs = this.clock.epochMs();
    const quietMs = Math.max(0, ...rows.map(({ since }) => nowMs - epochMsOf(since)));
    const counts = ['submitted', 'unresolved'].map((status) => {
      const value = rows.find((row) => row.status === status)?.count ?? 0;
      return { name: 'parley_settlements_under_way', labels: { status }, value } as const;
    });
    return [...counts, { name: 'parley_settlement_quiet_seconds', value: quietMs / 1000 } as const];
  }
}
