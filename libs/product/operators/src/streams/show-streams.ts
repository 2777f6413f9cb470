import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { EventStore, type ReceivedEvent } from '@app/event-store';
import { Cursors, pageOf, type Operator } from '@app/http';
import { invalid, notFound, ok, refuse, type Result } from '@app/kernel';
import { StreamProofs } from '@app/audit';
import { Readable } from 'node:stream';
import { jsonDifferences } from './json-difference';
import { OperatorReads } from '../operator-log/operator-reads';
import {
  auditedEvent,
  integrityOf,
  isStreamName,
  opened,
  pointIn,
  remainsOf,
  stateAt,
  type Point,
} from './read-stream';
import type { ShowEventsDto, StreamEventPage, StreamState, StreamVerification } from './streams.schema';
import { OperatorQuery } from '../operator-query';

/**
 * Returns a page of a stream's events, oldest first, and its folded states at the requested points. The access is
 * logged. Refuses with `invalid_cursor`, `invalid_input`, `not_found`. @throws Unavailable
 */
export class ShowEvents extends Query<Result<StreamEventPage>> {
  constructor(
    readonly operator: Operator,
    readonly stream: string,
    readonly query: ShowEventsDto,
  ) {
    super();
  }
}

@QueryHandler(ShowEvents)
export class ShowEventsHandler implements IQueryHandler<ShowEvents> {
  constructor(
    private readonly store: EventStore,
    private readonly reads: OperatorReads,
    private readonly cursors: Cursors,
  ) {}

  async execute({ operator, stream, query }: ShowEvents): Promise<Result<StreamEventPage>> {
    const binding = { list: 'operator.events', userId: operator.operatorId, filters: { stream } };
    const after = this.cursors.startOf(binding, query.cursor);
    if (!after.ok) return after;
    const [at, and] = [pointIn('at', query.at), pointIn('and', query.and)];
    if (!at.ok) return at;
    if (!and.ok) return and;
    if (and.value !== null && at.value === null) return refuse(invalid('/and', 'needs `at`'));
    const remains = await remainsOf(this.store, stream);
    if (remains === null) return refuse(notFound);
    const parameters = {
      ...(query.at !== undefined && { at: query.at }),
      ...(query.and !== undefined && { and: query.and }),
    };
    await this.reads.log(operator, { operation: 'streams.events', target: stream, parameters });
    const from = after.value === null ? 0 : after.value + 1;
    const events = await opened(this.store, await this.store.readRemaining(stream, from, query.limit + 1));
    const page = pageOf(events, query.limit, auditedEvent, ({ received: { revision } }) =>
      this.cursors.mint(binding, [revision]),
    );
    const [one, other] = [await this.state(stream, at.value), await this.state(stream, and.value)];
    const differences = one === null || other === null ? null : jsonDifferences(one.state, other.state);
    return ok({ ...page, integrity: integrityOf(remains), at: one, and: other, differences });
  }

  private async state(stream: string, point: Point | null): Promise<StreamState | null> {
    return point === null ? null : stateAt(this.store, stream, point);
  }
}

/** Verifies a stream against the log of all events. The access is logged. Refuses with `not_found`. @throws Unavailable */
export class VerifyStream extends OperatorQuery<string, StreamVerification> {}

@QueryHandler(VerifyStream)
export class VerifyStreamHandler implements IQueryHandler<VerifyStream> {
  constructor(
    private readonly proofs: StreamProofs,
    private readonly reads: OperatorReads,
  ) {}

  async execute({ operator, asked: stream }: VerifyStream): Promise<Result<StreamVerification>> {
    if (!isStreamName(stream)) return refuse(notFound);
    const verdict = await this.proofs.verify(stream);
    if (verdict === null) return refuse(notFound);
    await this.reads.log(operator, { operation: 'streams.verify', target: stream });
    const { checkpoint, holds, damage, ...counts } = verdict;
    const found = { ...counts, damage: damage?.message ?? null };
    if (checkpoint === null) return ok({ stream, checkpoint, ...found });
    const { size, root, at, key } = checkpoint;
    return ok({ stream, checkpoint: { size, root, at, key, holds }, ...found });
  }
}

/** A few megabytes at most: for a slow client, the process holds two such pages. */
const linesAtOnce = 32;

/**
 * Returns a stream as stored, one line for each event, read as fast as its reader consumes it. The access is logged.
 * Refuses with `not_found`. @throws Unavailable
 */
export class ExportStream extends OperatorQuery<string, Readable> {}

@QueryHandler(ExportStream)
export class ExportStreamHandler implements IQueryHandler<ExportStream> {
  constructor(
    private readonly store: EventStore,
    private readonly reads: OperatorReads,
  ) {}

  async execute({ operator, asked: stream }: ExportStream): Promise<Result<Readable>> {
    const remains = await remainsOf(this.store, stream);
    if (remains === null) return refuse(notFound);
    await this.reads.log(operator, { operation: 'streams.export', target: stream });
    // One page is read ahead; the next one is read when that page has been consumed.
    return ok(Readable.from(this.pages(stream, remains.last), { objectMode: true, highWaterMark: 1 }));
  }

  private async *pages(stream: string, last: number): AsyncGenerator<string> {
    for (let from = 0; from <= last;) {
      // If revisions are missing, the read returns later ones in their place, perhaps some that are newer than `last`.
      const events = await this.store.readRemaining(stream, from, Math.min(linesAtOnce, last - from + 1));
      const asked = events.filter(({ revision }) => revision <= last);
      if (asked.length > 0) yield asked.map(lineOf).join('');
      from = (events.at(-1)?.revision ?? last) + 1;
    }
  }
}

function lineOf({ stream, revision, position, id, type, data, metadata }: ReceivedEvent): string {
  const bytes = { data: data.toString('base64'), metadata: metadata.toString('base64') };
  return `${JSON.stringify({ stream, revision, position, id, type, ...bytes })}\n`;
}
