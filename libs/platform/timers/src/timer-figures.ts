import { Injectable } from '@nestjs/common';
import { Clock } from '@app/kernel';
import { Database } from '@app/read-store';
import { polledGauges, Metrics } from '@app/runtime';

/** Maximum number of due timers that one reading counts. */
const lookedAtMax = 10_000;

const gauges = {
  parley_timers_due: {
    help: `Timers that are due and were not handled yet, by kind (expiries, schedules, settlements, samples); at most ${lookedAtMax} are counted`,
    labelNames: ['kind'],
  },
  parley_timers_overdue_seconds: {
    help: 'For how long, by the service clock, the timer of a kind that has waited longest has been due',
    labelNames: ['kind'],
  },
};

/** Metrics of due timers that are not done, in every process, because without a live worker the others must report them. */
@Injectable()
export class TimerFigures {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    polledGauges(metrics, gauges, () => this.due());
  }

  private async due() {
    const nowMs = this.clock.epochMs();
    // A paused timer without a failed attempt is left out, because the process that scheduled it is doing its work.
    const rows = await this.database.query<{ kind: string; due: number; oldest: number }>(
      `SELECT kind, count(*)::int AS due, min(due_at_ms) AS oldest FROM (
         SELECT kind, due_at_ms FROM timers WHERE due_at_ms <= $1 AND NOT (failures = 0 AND coalesce(retry_at > now(), false))
         ORDER BY due_at_ms LIMIT $2) AS late
       GROUP BY kind`,
      [nowMs, lookedAtMax],
    );
    return rows.flatMap(
      ({ kind, due, oldest }) =>
        [
          { name: 'parley_timers_due', labels: { kind }, value: due },
          { name: 'parley_timers_overdue_seconds', labels: { kind }, value: (nowMs - oldest) / 1000 },
        ] as const,
    );
  }
}
