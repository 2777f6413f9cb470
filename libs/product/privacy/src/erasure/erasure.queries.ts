import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { FoldedStates } from '@app/event-store';
import { notFound, ok, refuse, type Result, type UserId } from '@app/kernel';
import { Database } from '@app/read-store';
import type { ErasureState, ErasureStatus } from './erasure.decider';
import { erasureKind } from './erasure.stream';

/** How far an erasure is. */
export interface ErasureProgress extends Omit<ErasureState, 'status'> {
  readonly status: ErasureStatus;
  /** Financial operations of the user that are not over now. */
  readonly operationsInFlight: number;
}

/** How far the erasure of a user is. For operators. Refuses with `not_found` where nobody has asked for it. @throws Unavailable */
export class FindErasure extends Query<Result<ErasureProgress>> {
  constructor(readonly userId: UserId) {
    super();
  }
}

@QueryHandler(FindErasure)
export class FindErasureHandler implements IQueryHandler<FindErasure> {
  constructor(
    private readonly states: FoldedStates,
    private readonly database: Database,
  ) {}

  async execute({ userId }: FindErasure): Promise<Result<ErasureProgress>> {
    const { status, ...facts } = (await this.states.fresh(erasureKind, userId)).state;
    if (status === null) return refuse(notFound);
    const [row] = await this.database.query<{ readonly count: number }>(
      `SELECT count(*)::integer AS count FROM {financial_operations}
       WHERE user_id = $1 AND status IN ('submitted', 'unresolved')`,
      [userId],
    );
    return ok({ status, ...facts, operationsInFlight: row?.count ?? 0 });
  }
}
