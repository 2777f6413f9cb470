import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Cursors, pageOf } from '@app/http';
import { notFound, ok, refuse, type AutomationId, type Result, type UserId } from '@app/kernel';
import { ListOccurrencesDto } from '../views/automations.dto';
import { occurrenceView, type OccurrencePage } from '../views/occurrence.view';
import { AutomationReader } from '../automation/automation-reader';
import { OccurrenceList } from '../automation/read-model/occurrence-list';

/**
 * A page of an automation's occurrences, newest first by the position of their creation. Refuses, in this order, with
 * `invalid_cursor`, `not_found`.
 * @throws Unavailable
 */
export class ListOccurrences extends Query<Result<OccurrencePage>> {
  constructor(
    readonly userId: UserId,
    readonly automationId: AutomationId,
    readonly query: ListOccurrencesDto,
  ) {
    super();
  }
}

@QueryHandler(ListOccurrences)
export class ListOccurrencesHandler implements IQueryHandler<ListOccurrences> {
  constructor(
    private readonly reader: AutomationReader,
    private readonly occurrences: OccurrenceList,
    private readonly cursors: Cursors,
  ) {}

  async execute({ userId, automationId, query }: ListOccurrences): Promise<Result<OccurrencePage>> {
    const { cursor, limit, delivery = null } = query;
    const binding = { list: 'automations.occurrences', userId, filters: { automationId, delivery } };
    const before = this.cursors.startOf(binding, cursor);
    if (!before.ok) return before;
    if ((await this.reader.find(userId, automationId)) === null) return refuse(notFound);
    const rows = await this.occurrences.newest(automationId, delivery, before.value, limit + 1);
    return ok(pageOf(rows, limit, occurrenceView, (row) => this.cursors.mint(binding, [row.openedPosition])));
  }
}
