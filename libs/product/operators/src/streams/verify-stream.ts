import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { StreamProofs } from '@app/audit';
import { notFound, ok, refuse, type Result } from '@app/kernel';
import { OperatorReads } from '../operator-log/operator-reads';
import { isStreamName } from './read-stream';
import type { StreamVerification } from './streams.schema';
import { OperatorQuery } from '../operator-query';

/**
 * Verifies a stream against the log of all events. The access is logged. Refuses with `not_found`. @throws Unavailable
 */
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
