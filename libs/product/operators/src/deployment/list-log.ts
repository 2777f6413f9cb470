import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { decodeEvent, EventStore, streamName, type StoredEvent } from '@app/event-store';
import { Cursors, pageOf, type PageQuery } from '@app/http';
import { ok, type Result } from '@app/kernel';
import type { OperatorLogEvent } from '../operator-log/operator-log.events';
import { operatorLogId, operatorLogKind } from '../operator-log/operator-log.stream';
import type { LogEntry, LogPage } from '../changes/operators.schema';
import { OperatorQuery } from '../operator-query';

/** Returns a page of the operators' log, newest first, from its stream. Refuses with `invalid_cursor`. @throws Unavailable */
export class ListLog extends OperatorQuery<PageQuery, LogPage> {}

const stream = streamName(operatorLogKind, operatorLogId);

@QueryHandler(ListLog)
export class ListLogHandler implements IQueryHandler<ListLog> {
  constructor(
    private readonly store: EventStore,
    private readonly cursors: Cursors,
  ) {}

  async execute({ operator: { operatorId }, asked: { cursor, limit } }: ListLog): Promise<Result<LogPage>> {
    const binding = { list: 'operator.log', userId: operatorId, filters: {} };
    const after = this.cursors.startOf(binding, cursor);
    if (!after.ok) return after;
    const newest = after.value === null ? await this.store.lastRevision(stream) : after.value - 1;
    const events = newest < 0 ? [] : await this.store.readStreamBackwards(stream, newest, limit + 1);
    return ok(pageOf(events, limit, show, ({ revision }) => this.cursors.mint(binding, [revision])));
  }
}

const nothing = {
  intentId: null,
  operator: null,
  operation: null,
  target: null,
  parameters: null,
  reason: null,
  outcome: null,
};

function show(stored: StoredEvent): LogEntry {
  const { event } = decodeEvent<OperatorLogEvent>(operatorLogKind, stored);
  const entry = { ...nothing, seq: stored.revision + 1, type: event.type, at: event.at };
  if (event.type === 'operator.completed') return { ...entry, intentId: event.intentId, outcome: event.outcome };
  const { operator, operation, target, parameters } = event;
  const asked = { ...entry, operator, operation, target, parameters };
  return event.type === 'operator.read' ? asked : { ...asked, intentId: event.intentId, reason: event.reason };
}
