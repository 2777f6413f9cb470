import { Injectable } from '@nestjs/common';
import { Clock } from '@app/kernel';
import { Database } from '@app/read-store';
import { askedGauges, Metrics } from '@app/runtime';

/** Timers that one look counts; where more are due, the figures stop there. */
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

/** Shows what is due and not done, in every process: where no worker lives, the others have to tell. */
@Injectable()
export class TimerFigures {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    askedGauges(metrics, gauges, () => this.due());
  }

  private async due() {
    const nowMs = this.clock.epochMs();
    // One that rests before its first try has somebody who does its work.
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
