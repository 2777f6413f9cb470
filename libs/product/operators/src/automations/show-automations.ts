import { QueryBus, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Cursors, pageOf } from '@app/http';
import { Clock, instantOf, ok, type AutomationId, type Result } from '@app/kernel';
import { Database } from '@app/read-store';
import { ExplainAutomation, type ExplainedAutomation } from '@app/automations';
import type {
  AutomationFilter,
  ListOperatedAutomationsDto,
  OperatedAutomation,
  OperatedAutomationPage,
} from './automations.schema';
import { OperatorQuery } from '../operator-query';
import { OperatorReads } from '../operator-log/operator-reads';

/** Returns a page of all users' automations in a state, newest first. Refuses with `invalid_cursor`. @throws Unavailable */
export class ListOperatedAutomations extends OperatorQuery<ListOperatedAutomationsDto, OperatedAutomationPage> {}

const lateAfterMs = 60_000;

/** An automation with the columns from which its view is made. */
interface Listed extends Omit<OperatedAutomation, 'dueAt'> {
  readonly dueAtMs: number | null;
  readonly position: number;
}

/** `$3` is the due time before which a rule is late. */
const filters: Readonly<Record<AutomationFilter, string>> = {
  held: 'a.held',
  failing: `(o.delivery = 'rejected' OR r.status = 'failed')`,
  late: `a.state = 'enabled' AND NOT a.held AND NOT a.completed AND t.due_at_ms < $3`,
};

@QueryHandler(ListOperatedAutomations)
export class ListOperatedAutomationsHandler implements IQueryHandler<ListOperatedAutomations> {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly clock: Clock,
  ) {}

  async execute({
    operator: { operatorId },
    asked: { cursor, limit, state },
  }: ListOperatedAutomations): Promise<Result<OperatedAutomationPage>> {
    const binding = { list: 'operator.automations', userId: operatorId, filters: { state } };
    const before = this.cursors.startOf(binding, cursor);
    if (!before.ok) return before;
    const rows = await this.rows(state, before.value, limit + 1);
    return ok(pageOf(rows, limit, show, ({ position }) => this.cursors.mint(binding, [position])));
  }

  private async rows(filter: AutomationFilter, before: number | null, limit: number): Promise<Listed[]> {
    return this.database.query<Listed>(
      `SELECT a.id AS "automationId", a.user_id AS "userId", a.state, a.held, t.due_at_ms AS "dueAtMs",
              CASE WHEN o.at IS NOT NULL THEN json_build_object(
                'at', o.at, 'delivery', o.delivery, 'reason', o.reason, 'runStatus', r.status) END AS "lastOccurrence",
              a.created_at AS "createdAt", a.updated_at AS "updatedAt", a.opened_position AS position
       FROM {automations} AS a
       LEFT JOIN LATERAL (
         SELECT at, delivery, reason, run_id, conversation_id FROM {occurrences}
         WHERE automation_id = a.id ORDER BY opened_position DESC LIMIT 1) AS o ON true
       LEFT JOIN {runs} AS r ON r.conversation_id = o.conversation_id AND r.id = o.run_id
       LEFT JOIN timers AS t ON t.id = 'automation/' || a.id || '/' || a.epoch
       WHERE a.state <> 'archived' AND a.opened_position < $1 AND ${filters[filter]} AND $3::bigint > 0
       ORDER BY a.opened_position DESC LIMIT $2`,
      [before ?? Number.MAX_SAFE_INTEGER, limit, this.clock.epochMs() - lateAfterMs],
    );
  }
}

function show({ dueAtMs, position: _, ...automation }: Listed): OperatedAutomation {
  return { ...automation, dueAt: dueAtMs === null ? null : instantOf(dueAtMs) };
}

/** Returns an automation and why it does not fire. The access is logged. Refuses with `not_found`. @throws Unavailable */
export class ShowAutomation extends OperatorQuery<AutomationId, ExplainedAutomation> {}

@QueryHandler(ShowAutomation)
export class ShowAutomationHandler implements IQueryHandler<ShowAutomation> {
  constructor(
    private readonly reads: OperatorReads,
    private readonly queries: QueryBus,
  ) {}

  async execute({ operator, asked: automationId }: ShowAutomation): Promise<Result<ExplainedAutomation>> {
    await this.reads.log(operator, { operation: 'automations.show', target: automationId });
    return this.queries.execute(new ExplainAutomation(automationId));
  }
}
