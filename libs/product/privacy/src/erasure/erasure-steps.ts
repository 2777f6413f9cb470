import { Injectable, Logger } from '@nestjs/common';
import { FoldedStates, Streams } from '@app/event-store';
import { causeOfService, unreachable, type Cause, type UserId } from '@app/kernel';
import { KeyErasure } from '@app/read-store';
import { v7 as uuidV7 } from 'uuid';
import { DestroyKeys } from './destroy-keys';
import type { ErasureCommand, ErasureState } from './erasure.decider';
import { erasureKind } from './erasure.stream';
import { ProveErasure } from './prove-erasure';
import { PurgeUser } from './purge-user';

/** The steps of an erasure. Each is idempotent, and recorded when it is done: a worker that goes on begins with the first that is not. */
@Injectable()
export class ErasureSteps {
  private readonly logger = new Logger('Erasure');

  constructor(
    private readonly streams: Streams,
    private readonly keys: KeyErasure,
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
        return null;
      case 'incomplete':
      case 'completed':
        await this.destroyRestored(userId, cause, signal);
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

  /** After a restore of older keys, or of an older database, an erased user may have keys again. The certificate stays as it is. */
  private async destroyRestored(userId: UserId, cause: Cause, signal: AbortSignal): Promise<void> {
    if (!(await this.keys.hasKeys(userId))) return;
    this.logger.warn({ msg: 'an erased user had keys again, as after a restore: they are destroyed again', userId });
    await this.purgeUser.take(userId, cause, signal);
  }
}
