import { Injectable } from '@nestjs/common';
import { FoldedStates, Streams } from '@app/event-store';
import { causeOfService, unreachable, type Cause, type UserId } from '@app/kernel';
import { v7 as uuidV7 } from 'uuid';
import { DestroyKeys } from './destroy-keys';
import type { ErasureCommand, ErasureState } from './erasure.decider';
import { erasureKind } from './erasure.stream';
import { ProveErasure } from './prove-erasure';
import { PurgeUser } from './purge-user';

/** The steps of an erasure. Each is idempotent, and recorded when it is done: a worker that goes on begins with the first that is not. */
@Injectable()
export class ErasureSteps {
  constructor(
    private readonly streams: Streams,
    private readonly states: FoldedStates,
    private readonly destroyKeys: DestroyKeys,
    private readonly purgeUser: PurgeUser,
    private readonly proveErasure: ProveErasure,
  ) {}

  /** Takes steps until the erasure is over, or has to wait. @throws Unavailable */
  async advance(userId: UserId, signal: AbortSignal): Promise<void> {
    const cause = causeOfService('erasure', uuidV7(), userId);
    while (!signal.aborted) {
      const { state } = await this.states.fresh(erasureKind, userId);
      const done = await this.next(userId, state, cause, signal);
      if (done === null) return;
      await this.streams.decide(erasureKind, userId, done, cause, { visible: true });
    }
  }

  /** Takes the next step; returns it once it is done, and null where there is none, or it has to wait. */
  private async next(
    userId: UserId,
    state: ErasureState,
    cause: Cause,
    signal: AbortSignal,
  ): Promise<ErasureCommand | null> {
    switch (state.status) {
      case null:
      case 'incomplete':
      case 'completed':
        return null;
      case 'ending':
        return this.destroyKeys.take(userId, state, cause, signal);
      case 'purging':
        return this.purgeUser.take(userId, cause, signal);
      case 'proving':
        return this.proveErasure.take(userId, state, signal);
      default:
        return unreachable(state.status);
    }
  }
}
