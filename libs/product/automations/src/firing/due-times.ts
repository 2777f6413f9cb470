import { Injectable } from '@nestjs/common';
import { Clock, type AutomationId, type Instant, type OccurrenceId } from '@app/kernel';
import { Timers } from '@app/timers';
import { FoldedStates, unlessDamaged } from '@app/event-store';
import { Database, selectList } from '@app/read-store';
import type { StoredDefinition } from '../definition/automation-definition';
import { nextDue } from '../definition/schedule';
import { dueTimer, endTimer, dueTimers, endTimers, occurrenceTimer, occurrenceTimers } from './firing-timers';
import { automationKind } from '../automation/automation.stream';
import { OccurrenceRow } from '../automation/read-model/automation.row';

/** The timers by which an activation fires and ends. */
@Injectable()
export class DueTimes {
  constructor(
    private readonly timers: Timers,
    private readonly clock: Clock,
  ) {}

  /**
   * Schedules an activation's timers, before the append that begins it; without that append the timers find nothing to
   * do. Where no due time follows, the timer is due at once and completes the automation.
   * @throws Unavailable
   *
   * @param after due times up to this instant do not belong to the activation
   */
  async schedule(
    automationId: AutomationId,
    { wake, firing }: Pick<StoredDefinition, 'wake' | 'firing'>,
    epoch: string,
    epochAt: Instant,
    after: Instant,
  ): Promise<void> {
    if (firing.endAt !== undefined) await this.timers.schedule(endTimer(automationId, epoch, firing.endAt));
    if (wake.kind !== 'schedule') return;
    const dueAt = nextDue(wake.schedule, epochAt, after) ?? this.clock.now();
    await this.timers.schedule(dueTimer(automationId, epoch, dueAt));
  }
}

/** Maximum number of automations, and of occurrences, that one sweep handles. */
const missingAtOnceMax = 500;

/**
 * Schedules missing timers of activations and of waiting occurrences: a timer may be lost when PostgreSQL crashes, and
 * a release by an operator schedules none. Two workers that find the same one do no harm. All methods throw
 * Unavailable.
 */
@Injectable()
export class MissingTimers {
  constructor(
    private readonly database: Database,
    private readonly states: FoldedStates,
    private readonly dueTimes: DueTimes,
    private readonly timers: Timers,
    private readonly clock: Clock,
  ) {}

  /** Runs one sweep; returns the number of automations and occurrences without a timer. */
  async sweep(): Promise<number> {
    return (await this.activations()) + (await this.occurrences());
  }

  private async activations(): Promise<number> {
    const missing = await this.database.query<{ id: AutomationId }>(
      `SELECT a.id FROM {automations} AS a WHERE a.state = 'enabled' AND NOT a.completed AND (
         a.definition #>> '{wake,kind}' = 'schedule'
           AND NOT EXISTS (SELECT 1 FROM timers AS t WHERE t.id = '${dueTimers}/' || a.id || '/' || a.epoch)
         OR a.definition #>> '{firing,endAt}' IS NOT NULL
           AND NOT EXISTS (SELECT 1 FROM timers AS t WHERE t.id = '${endTimers}/' || a.id || '/' || a.epoch))
       ORDER BY a.id LIMIT $1`,
      [missingAtOnceMax],
    );
    for (const { id } of missing) {
      const folded = await unlessDamaged(() => this.states.fresh(automationKind, id));
      const state = folded?.state ?? null;
      if (state === null || state.state !== 'enabled' || state.completed) continue;
      const { definition, epoch, epochAt, memory } = state;
      await this.dueTimes.schedule(id, definition, epoch, epochAt, memory.lastDueAt ?? epochAt);
    }
    return missing.length;
  }

  /** The oldest waiting occurrence of each automation; in random order, so that none waits forever when there are very many. */
  private async occurrences(): Promise<number> {
    const missing = await this.database.query<{ id: OccurrenceId; automationId: AutomationId }>(
      `SELECT ${selectList(OccurrenceRow, ['id', 'automationId'])} FROM (
         SELECT DISTINCT ON (o.automation_id) o.id, o.automation_id FROM {occurrences} AS o
         JOIN {automations} AS a ON a.id = o.automation_id
         WHERE o.delivery IN ('pending', 'deferred') AND NOT a.held
         ORDER BY o.automation_id, o.opened_position) AS oldest
       WHERE NOT EXISTS (SELECT 1 FROM timers AS t WHERE t.id = '${occurrenceTimers}/' || oldest.id)
       ORDER BY random() LIMIT $1`,
      [missingAtOnceMax],
    );
    for (const { id, automationId } of missing) {
      await this.timers.schedule(occurrenceTimer(automationId, id, this.clock.now()));
    }
    return missing.length;
  }
}
