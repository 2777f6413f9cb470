import { Inject, Injectable } from '@nestjs/common';
import { Saga, type ICommand } from '@nestjs/cqrs';
import { conversationKind, type ConversationEvent } from '@app/conversations';
import { ofEvents } from '@app/event-store';
import { Database } from '@app/read-store';
import { polledGauges, Metrics } from '@app/runtime';
import { Configuration } from '@app/settings';
import { Counter, Gauge } from 'prom-client';
import { filter, ignoreElements, tap, type Observable } from 'rxjs';

const slotGauges = {
  parley_execution_slots_in_use: { help: 'Execution slots that are taken now, in the whole deployment' },
  parley_execution_segments_waiting: {
    help: 'Run segments that have a slot and no worker that executes them, in the whole deployment',
  },
  parley_execution_wait_seconds: {
    help: 'How long the run segment that has waited longest has had a slot and no worker',
  },
};

/** Metrics of runs: how they end, and how much of the capacity is taken. */
@Injectable()
export class RunMetrics {
  private readonly ended: Counter<'status' | 'reason'>;

  constructor(
    @Inject(Metrics) metrics: Metrics,
    @Inject(Database) private readonly database: Database,
    @Inject(Configuration) { env }: Configuration,
  ) {
    const registers = [metrics.registry];
    this.ended = new Counter({
      name: 'parley_runs_ended_total',
      help: 'Runs that ended, by status and, of the failed ones, reason; one whose process was killed at that moment may be missing',
      labelNames: ['status', 'reason'],
      registers,
    });
    new Gauge({
      name: 'parley_execution_slots',
      help: 'Execution slots that there are, in the whole deployment (EXECUTION_CAPACITY)',
      registers,
    }).set(env.EXECUTION_CAPACITY);
    polledGauges(metrics, slotGauges, () => this.slots());
  }

  /** Counts the ends that this process has appended. */
  @Saga()
  ends(bus: Observable<object>): Observable<ICommand> {
    return bus.pipe(
      ofEvents<ConversationEvent, 'run.ended'>(conversationKind, 'run.ended'),
      filter(({ isOwn }) => isOwn),
      tap(({ event: { status, failure } }) => this.ended.inc({ status, reason: failure?.reason ?? '' })),
      ignoreElements(),
    );
  }

  /** There is a row for each segment that executes or waits for a worker: no more than the capacity. An expired lease counts as none. */
  private async slots() {
    const [row] = await this.database.query<{ taken: number; waiting: number; seconds: number }>(
      `SELECT count(*)::int AS taken, count(*) FILTER (WHERE expires_at <= now())::int AS waiting,
         greatest(0, extract(epoch FROM now() - min(expires_at)))::float AS seconds FROM execution_slots`,
    );
    const { taken = 0, waiting = 0, seconds = 0 } = row ?? {};
    return [
      { name: 'parley_execution_slots_in_use', value: taken },
      { name: 'parley_execution_segments_waiting', value: waiting },
      { name: 'parley_execution_wait_seconds', value: seconds },
    ] as const;
  }
}
