import { Injectable } from '@nestjs/common';
import { Clock, epochMsOf, type AutomationId, type Instant } from '@app/kernel';
import { Database, membersOf, selectList } from '@app/read-store';
import { polledGauges, Metrics } from '@app/runtime';
import { OccurrenceRow, type OccurrenceDelivery } from './automation.row';

/** An occurrence with the key that it is sorted by. */
export type ListedOccurrence = Omit<OccurrenceRow, 'automationId' | 'position'>;

const columns = selectList(OccurrenceRow, membersOf(OccurrenceRow, ['automationId', 'position']));

/** The read model's occurrences of an automation. */
@Injectable()
export class OccurrenceList {
  constructor(private readonly database: Database) {}

  /** The newest, by the position of their creation, strictly before a sort key. @param delivery null: all @throws Unavailable */
  async newest(
    automationId: AutomationId,
    delivery: OccurrenceDelivery | null,
    before: number | null,
    limit: number,
  ): Promise<ListedOccurrence[]> {
    const page = [automationId, before ?? Number.MAX_SAFE_INTEGER, limit];
    // Two statements, so that each has an index that returns its rows in order.
    const [where, preparedAs, parameters] =
      delivery === null
        ? ['', 'occurrences.list', page]
        : ['AND delivery = $4', 'occurrences.list.of_delivery', [...page, delivery]];
    return this.database.query(
      `SELECT ${columns} FROM {occurrences}
       WHERE automation_id = $1 AND opened_position < $2 ${where} ORDER BY opened_position DESC LIMIT $3`,
      parameters,
      preparedAs,
    );
  }
}

/** Maximum number of occurrences that one query counts; beyond it the figures are too low. */
const lookedAtMax = 10_000;

const waiting: readonly OccurrenceDelivery[] = ['pending', 'deferred'];

const gauges = {
  parley_automation_occurrences_waiting: {
    help: `Firings of automations whose run has not begun, by delivery: pending, or deferred since something did not let it; at most ${lookedAtMax} are counted`,
    labelNames: ['delivery'],
  },
  parley_automation_wait_seconds: {
    help: 'How long, by the service clock, the firing of a delivery that has waited longest has waited for its run',
    labelNames: ['delivery'],
  },
};

/** Gauges of the occurrences that wait for their runs, in every process. */
@Injectable()
export class OccurrenceFigures {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    polledGauges(metrics, gauges, () => this.waiting());
  }

  private async waiting() {
    const rows = await this.database.query<{ delivery: string; count: number; since: Instant }>(
      `SELECT delivery, count(*)::int AS count, min(at) AS since FROM (
         SELECT delivery, at FROM {occurrences} WHERE delivery IN ('pending', 'deferred') LIMIT $1) AS open
       GROUP BY delivery`,
      [lookedAtMax],
    );
    const nowMs = this.clock.epochMs();
    return waiting.flatMap((delivery) => {
      const found = rows.find((row) => row.delivery === delivery);
      const waitedMs = found === undefined ? 0 : Math.max(0, nowMs - epochMsOf(found.since));
      return [
        { name: 'parley_automation_occurrences_waiting', labels: { delivery }, value: found?.count ?? 0 },
        { name: 'parley_automation_wait_seconds', labels: { delivery }, value: waitedMs / 1000 },
      ] as const;
    });
  }
}
