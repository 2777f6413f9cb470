import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { ServedLog } from '@app/audit';
import { notFound, ok, refuse, type Result } from '@app/kernel';
import { OperatorReads } from '../operator-log/operator-reads';
import { OperatorQuery } from '../operator-query';

/** Returns the bundle of entries at a path under `tile/`; logged. Refuses with `not_found`. @throws Unavailable */
export class ReadLogEntries extends OperatorQuery<string, Uint8Array> {}

@QueryHandler(ReadLogEntries)
export class ReadLogEntriesHandler implements IQueryHandler<ReadLogEntries> {
  constructor(
    private readonly log: ServedLog,
    private readonly reads: OperatorReads,
  ) {}

  async execute({ operator, asked: path }: ReadLogEntries): Promise<Result<Uint8Array>> {
    const bundle = await this.log.bundle(path);
    if (bundle === null) return refuse(notFound);
    await this.reads.log(operator, { operation: 'transparency.entries', target: path });
    return ok(bundle);
  }
}
