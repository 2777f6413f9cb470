import { Readable } from 'node:stream';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { EventStore, type ReceivedEvent } from '@app/event-store';
import { notFound, ok, refuse, type Result } from '@app/kernel';
import { OperatorReads } from '../operator-log/operator-reads';
import { remainsOf } from './read-stream';
import { OperatorQuery } from '../operator-query';

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
