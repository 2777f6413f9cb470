import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { FoldedStates } from '@app/event-store';
import { failureWords, parseUuid, type UserId } from '@app/kernel';
import { KeyRing, type KeyId } from '@app/sealing';
import { Database } from '../database/database';
import { Notifications } from '../postgres/notifications';
import { keysDestroyed } from './key-erasure';

/**
 * Lets this process forget the keys of users that were destroyed, and states with their words. A notification that is lost delays this to
 * the next connection; keys are forgotten within a minute in any case.
 */
@Injectable()
export class KeyForgetting implements OnModuleInit {
  private readonly logger = new Logger(KeyForgetting.name);

  constructor(
    private readonly database: Database,
    private readonly notifications: Notifications,
    private readonly keys: KeyRing,
    private readonly states: FoldedStates,
  ) {}

  onModuleInit(): void {
    this.notifications.on(keysDestroyed, (payload) => {
      const userId = parseUuid<UserId>(payload);
      if (userId !== null) void this.forget(userId);
    });
    this.notifications.onReconnected(() => {
      this.keys.forgetAll();
      this.states.forgetAll();
    });
  }

  private async forget(userId: UserId): Promise<void> {
    try {
      const rows = await this.database.query<{ readonly id: KeyId }>(
        'SELECT key_id AS id FROM sealing_keys WHERE user_id = $1',
        [userId],
      );
      this.keys.forget(rows.map(({ id }) => id));
    } catch (error) {
      this.logger.warn(`all keys are forgotten, because those of a user were not read: ${failureWords(error)}`);
      this.keys.forgetAll();
    }
    // Last, because a fold that began with the keys may end while their names are read.
    this.states.forgetUser(userId);
    this.logger.debug({ msg: 'the keys of a user are forgotten', userId });
  }
}
