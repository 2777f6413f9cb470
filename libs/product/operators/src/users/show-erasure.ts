import { QueryBus, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { notFound, ok, refuse, type Result, type UserId } from '@app/kernel';
import { FindErasure, type ErasureProgress } from '@app/privacy';
import { OperatorReads } from '../operator-log/operator-reads';
import { OperatorQuery } from '../operator-query';
import { certificateOf, type Erasure, type ErasureCertificate } from './erasure.schema';

/** Returns how far the erasure of a user is; logged. Refuses with `not_found` where none was requested. @throws Unavailable */
export class ShowErasure extends OperatorQuery<UserId, Erasure> {}

@QueryHandler(ShowErasure)
export class ShowErasureHandler implements IQueryHandler<ShowErasure> {
  constructor(
    private readonly reads: OperatorReads,
    private readonly queries: QueryBus,
  ) {}

  async execute({ operator, asked: userId }: ShowErasure): Promise<Result<Erasure>> {
    const found = await this.queries.execute(new FindErasure(userId));
    if (!found.ok) return found;
    await this.reads.log(operator, { operation: 'users.erasure', target: userId });
    return ok(viewOf(userId, found.value));
  }
}

/** Returns the certificate of a user's erasure; logged. Refuses with `not_found` until it is completed. @throws Unavailable */
export class ShowCertificate extends OperatorQuery<UserId, ErasureCertificate> {}

@QueryHandler(ShowCertificate)
export class ShowCertificateHandler implements IQueryHandler<ShowCertificate> {
  constructor(
    private readonly reads: OperatorReads,
    private readonly queries: QueryBus,
  ) {}

  async execute({ operator, asked: userId }: ShowCertificate): Promise<Result<ErasureCertificate>> {
    const found = await this.queries.execute(new FindErasure(userId));
    if (!found.ok) return found;
    const { completed } = found.value;
    if (completed === null) return refuse(notFound);
    await this.reads.log(operator, { operation: 'users.certificate', target: userId });
    return ok(certificateOf(completed.certificate));
  }
}

function viewOf(userId: UserId, found: ErasureProgress): Erasure {
  const { status, requestedAt, operationsInFlight, destroyed, purged, wordsLeft, completed } = found;
  if (requestedAt === null) throw new Error('an erasure begins with its request');
  return {
    userId,
    status,
    requestedAt,
    operationsInFlight,
    keys: destroyed?.keys ?? null,
    keysDestroyedAt: destroyed?.at ?? null,
    purged: purged === null ? null : { ...purged.purged },
    purgedAt: purged?.at ?? null,
    closedEvents: completed?.closedEvents ?? null,
    wordsLeft,
    completedAt: completed?.at ?? null,
  };
}
