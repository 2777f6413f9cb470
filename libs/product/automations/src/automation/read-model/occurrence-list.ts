import { Injectable } from '@nestjs/common';
import type { AutomationId } from '@app/kernel';
import { Database, membersOf, selectList } from '@app/read-store';
import { OccurrenceRow, type OccurrenceDelivery } from './automation.row';

/** An occurrence with the key that it is sorted by. */
export type ListedOccurrence = Omit<OccurrenceRow, 'automationId' | 'position'>;

const columns = selectList(OccurrenceRow, membersOf(OccurrenceRow, ['automationId', 'position']));

/** The read model's occurrences of an automation. */
@Injectable()
export class OccurrenceList {
  constructor(private readonly database: Database) {}

  /**
   * The newest, by the position of their creation, strictly before a sort key.
   * @param delivery null: all
   * @throws Unavailable
   */
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
