import { Inject, Injectable, Logger } from '@nestjs/common';
import { Saga, type ICommand } from '@nestjs/cqrs';
import { conversationKind, type ConversationEvent } from '@app/conversations';
import { ofEvents } from '@app/event-store';
import { Database } from '@app/read-store';
import { Metrics, settledWithin } from '@app/runtime';
import { Counter, Gauge } from 'prom-client';
import { filter, ignoreElements, tap, type Observable } from 'rxjs';

/** Less than the second that anything on the management port waits for the database. */
const figureWithinMs = 800;

/** What operators see of runs: how they end, and how much of the capacity is taken. */
@Injectable()
export class RunMetrics {
  private readonly logger = new Logger(RunMetrics.name);
  private readonly ended: Counter<'status' | 'reason'>;
  /** The question that is under way: of a database that hangs there is one, however often its figure is asked for. */
  private asking: Promise<number | null> | null = null;

  constructor(
    @Inject(Metrics) { registry }: Metrics,
    @Inject(Database) private readonly database: Database,
  ) {
    const registers = [registry];
    this.ended = new Counter({
      name: 'parley_runs_ended_total',
      help: 'Runs that ended, by status and, of the failed ones, reason; one whose process was killed at that moment may be missing',
      labelNames: ['status', 'reason'],
      registers,
    });
    const slots = new Gauge({
      name: 'parley_execution_slots_in_use',
      help: 'Execution slots that are taken now, in the whole deployment',
      registers,
      collect: async () => {
        const inUse = await this.slotsInUseSoon();
        // Better no figure than a stale one, or than none of all the others.
        if (inUse === null) slots.remove();
        else slots.set(inUse);
      },
    });
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

  /** Null where they are not known in time. */
  private async slotsInUseSoon(): Promise<number | null> {
    this.asking ??= this.slotsInUse().finally(() => (this.asking = null));
    const { asking } = this;
    return (await settledWithin([asking], figureWithinMs)) ? asking : null;
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
