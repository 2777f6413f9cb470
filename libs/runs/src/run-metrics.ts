import { Inject, Injectable, Logger } from '@nestjs/common';
import type { ConversationEvent } from '@app/conversations';
import { Database } from '@app/read-store';
import { Metrics } from '@app/runtime';
import { Counter, Gauge } from 'prom-client';

type RunEnded = Extract<ConversationEvent, { readonly type: 'run.ended' }>;

/** What operators see of runs: how they end, and how much of the capacity is taken. */
@Injectable()
export class RunMetrics {
  private readonly logger = new Logger(RunMetrics.name);
  private readonly ended: Counter<'status' | 'reason'>;

  constructor(
    @Inject(Metrics) { registry }: Metrics,
    @Inject(Database) private readonly database: Database,
  ) {
    const registers = [registry];
    this.ended = new Counter({
      name: 'parley_runs_ended_total',
      help: 'Runs that ended, by status and, of the failed ones, reason; a run may count twice when a process was killed',
      labelNames: ['status', 'reason'],
      registers,
    });
    const slots = new Gauge({
      name: 'parley_execution_slots_in_use',
      help: 'Execution slots that are taken now, in the whole deployment',
      registers,
      collect: async () => {
        const inUse = await this.slotsInUse();
        // Better no figure than a stale one.
        if (inUse === null) slots.remove();
        else slots.set(inUse);
      },
    });
  }

  runEnded({ status, failure }: RunEnded): void {
    this.ended.inc({ status, reason: failure?.reason ?? '' });
  }

  private async slotsInUse(): Promise<number | null> {
    try {
      const [row] = await this.database.query<{ taken: number }>(
        'SELECT count(*)::int AS taken FROM execution_slots',
        [],
      );
      return row?.taken ?? 0;
    } catch (error) {
      this.logger.warn(`the slots in use are not known now: ${error instanceof Error ? error.message : 'unknown'}`);
      return null;
    }
  }
}
