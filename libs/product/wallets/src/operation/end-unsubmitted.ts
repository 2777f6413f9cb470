import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { FoldedStates, Streams, unlessDamaged } from '@app/event-store';
import { Clock, ok, words, type Cause, type OperationId, type Result, type UserId } from '@app/kernel';
import { Database } from '@app/read-store';
import type { OperationFailure } from '../provider/submission';
import type { OperationCommand } from './operation.decider';
import { currentAction, isUnderWay, type OperationState } from './operation.state';
import { operationKind } from './operation.stream';

const failure: OperationFailure = {
  reason: 'timed_out',
  text: words`The account was closed before it was sent.`,
};

/** Operations of one call; shares and quotas keep a user far below. */
const operationsMax = 1_000;

/**
 * Ends the operations of a user of which nothing was sent, and the withdrawals that were only prepared; returns the operations with money
 * in flight. Idempotent. The read models must have caught up. @throws Unavailable
 */
export class EndUnsubmitted extends Command<Result<readonly OperationId[]>> {
  constructor(
    readonly userId: UserId,
    readonly cause: Cause,
  ) {
    super();
  }
}

@CommandHandler(EndUnsubmitted)
export class EndUnsubmittedHandler implements ICommandHandler<EndUnsubmitted> {
  constructor(
    private readonly streams: Streams,
    private readonly states: FoldedStates,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async execute({ userId, cause }: EndUnsubmitted): Promise<Result<readonly OperationId[]>> {
    const rows = await this.database.query<{ readonly id: OperationId }>(
      `SELECT id FROM {financial_operations} WHERE user_id = $1 AND status IN ('prepared', 'submitted', 'unresolved')
       ORDER BY opened_position LIMIT $2`,
      [userId, operationsMax],
    );
    // The state of a damaged stream is unknown: it may be in flight.
    const endsWithout = (id: OperationId) => unlessDamaged(() => this.endsWithout(id, cause));
    const left = await Promise.all(rows.map(async ({ id }) => ((await endsWithout(id)) === true ? [] : [id])));
    return ok(left.flat());
  }

  /** Ends an operation; false where something of it was sent. */
  private async endsWithout(operationId: OperationId, cause: Cause): Promise<boolean> {
    const { state } = await this.states.fresh(operationKind, operationId);
    const command = state === null ? null : this.endOf(state);
    if (command === null) return state === null || !isUnderWay(state);
    const done = await this.streams.decide(operationKind, operationId, command, cause);
    return done.ok && (done.value.state === null || !isUnderWay(done.value.state));
  }

  private endOf(state: OperationState): OperationCommand | null {
    const at = this.clock.now();
    if (state.status === 'prepared') return { type: 'EndPrepared', at };
    const action = currentAction(state);
    return action?.submission === null ? { type: 'GiveUp', at, index: action.index, key: null, failure } : null;
  }
}
