import { randomUUID } from 'node:crypto';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Streams, unlessDamaged } from '@app/event-store';
import { asId, causeOfService, Clock, openOr, type IdentityId, type UserId } from '@app/kernel';
import { Database, KeyErasure, selectList } from '@app/read-store';
import { KeyRing, openMembers } from '@app/sealing';
import { Identities } from './identities';
import { identityKind } from './identity.stream';
import { UserRow } from './user.projection';

/**
 * Erases the identities of a user whose keys are destroyed: none of them is ever opened again, and nothing leads from one to the user or
 * back. Idempotent. @throws Unavailable
 */
export class EraseIdentities extends Command<void> {
  constructor(readonly userId: UserId) {
    super();
  }
}

/**
 * Erases the identity of an account that an earlier version made, which has no stream of its own, while its issuer and subject can still be
 * read: before the keys are destroyed. Nothing to do for other accounts. Idempotent. @throws Unavailable
 */
export class EraseEarlierIdentity extends Command<void> {
  constructor(readonly userId: UserId) {
    super();
  }
}

@CommandHandler(EraseIdentities)
class EraseIdentitiesHandler implements ICommandHandler<EraseIdentities> {
  constructor(
    private readonly streams: Streams,
    private readonly keys: KeyErasure,
    private readonly clock: Clock,
  ) {}

  async execute({ userId }: EraseIdentities): Promise<void> {
    const ids = await this.keys.namesOf(userId, 'i');
    for (const id of ids) await eraseIdentity(this.streams, this.clock, asId<IdentityId>(id));
    await this.keys.detachIdentities(userId);
  }
}

const members = selectList(UserRow, ['issuer', 'subject']);

@CommandHandler(EraseEarlierIdentity)
class EraseEarlierIdentityHandler implements ICommandHandler<EraseEarlierIdentity> {
  constructor(
    private readonly streams: Streams,
    private readonly keys: KeyErasure,
    private readonly ring: KeyRing,
    private readonly identities: Identities,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async execute({ userId }: EraseEarlierIdentity): Promise<void> {
    if ((await this.keys.namesOf(userId, 'i')).length > 0) return;
    const rows = await this.database.query<Pick<UserRow, 'issuer' | 'subject'>>(
      `SELECT ${members} FROM {users} WHERE user_id = $1`,
      [userId],
    );
    const [row] = await openMembers(this.ring, rows, ['issuer', 'subject']);
    const [issuer, subject] = [row?.issuer, row?.subject].map((words) =>
      words === undefined ? null : openOr(words, null),
    );
    if (issuer == null || subject == null) return;
    await eraseIdentity(this.streams, this.clock, await this.identities.idOf({ issuer, subject }));
  }
}

/**
 * Its cause names nothing of the user, as that of its opening does not. A damaged stream is left as it is: it names no user without its
 * key, and an erasure does not wait for it.
 */
async function eraseIdentity(streams: Streams, clock: Clock, id: IdentityId): Promise<void> {
  const cause = causeOfService('users', randomUUID());
  await unlessDamaged(() => streams.decide(identityKind, id, { type: 'EraseIdentity', at: clock.now() }, cause));
}

export const identityHandlers = [EraseIdentitiesHandler, EraseEarlierIdentityHandler];
