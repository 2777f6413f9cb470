import { Injectable } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { FoldedStates } from '@app/event-store';
import { Accounts } from '@app/http';
import type { AccountState, Identity, IdentityAccount, KnownIdentity } from '@app/http';
import { asId, notFound, ok, refuse, Unavailable } from '@app/kernel';
import type { Erased, IdentityId, Instant, Result, UserId } from '@app/kernel';
import { Database, ReadGate, selectList } from '@app/read-store';
import { KeyRing, openMembers } from '@app/sealing';
import { Identities } from './identities';
import type { IdentityState } from './identity.decider';
import type { UserState } from './user.decider';
import { UserRow } from './user.projection';
import { userKind } from './user.stream';

/**
 * Maximum number of streams folded at a time by one query; further identities without a row wait for these, so that the
 * store's limits are not reached.
 */
const foldsAtOnceMax = 16;

// Built once, because every request needs it.
const account = selectList(UserRow, ['userId', 'disabled']);

/** Accounts for admission (one statement for many), and one account's current state from its stream. */
@Injectable()
export class StoredAccounts extends Accounts {
  constructor(
    private readonly database: Database,
    private readonly states: FoldedStates,
    private readonly identities: Identities,
  ) {
    super();
  }

  identityIdOf(identity: Identity): IdentityId | Promise<IdentityId> {
    return this.identities.idOf(identity);
  }

  /**
   * Reads the streams of identities that this process has not seen before. One that is damaged is the reason of its own failure, and of no
   * other's.
   */
  async findByIdentity(
    identities: readonly KnownIdentity[],
  ): Promise<ReadonlyMap<IdentityId, IdentityAccount | Unavailable>> {
    const users = new Map<IdentityId, IdentityState | Unavailable>();
    const unseen: KnownIdentity[] = [];
    for (const identity of identities) {
      const userId = this.identities.peek(identity.id);
      if (userId === undefined) unseen.push(identity);
      else users.set(identity.id, { status: 'opened', userId });
    }
    await inGroups(unseen, async (identity) => {
      users.set(identity.id, await unlessUnavailable(this.identities.find(identity)));
    });
    return this.accountsOf(users);
  }

  private async accountsOf(
    users: ReadonlyMap<IdentityId, IdentityState | Unavailable>,
  ): Promise<ReadonlyMap<IdentityId, IdentityAccount | Unavailable>> {
    const userIds = [...users.values()].flatMap((user) => (user instanceof Unavailable ? [] : (user.userId ?? [])));
    const states = userIds.length === 0 ? new Map<UserId, AccountState>() : await this.findMany(userIds);
    const found = new Map<IdentityId, IdentityAccount | Unavailable>();
    for (const [id, user] of users) {
      if (user instanceof Unavailable) found.set(id, user);
      else if (user.status === 'erased') found.set(id, { userId: null, disabled: true });
      else {
        const state = user.userId === null ? undefined : states.get(user.userId);
        if (state !== undefined) found.set(id, { userId: user.userId, ...state });
      }
    }
    return found;
  }

  /**
   * Reads the read model; an account without a row is folded from its stream, so that it is found right after
   * `users.ensure` even while the read models lag. A request without an account therefore costs one read of an empty
   * stream.
   */
  async findMany(userIds: readonly UserId[]): Promise<ReadonlyMap<UserId, AccountState>> {
    const rows = await this.database.query<Pick<UserRow, 'userId' | 'disabled'>>(
      `SELECT ${account} FROM {users} WHERE user_id = ANY($1::uuid[])`,
      [userIds],
      'find_accounts',
    );
    const found = new Map(rows.map(({ userId, disabled }) => [asId<UserId>(userId), { disabled }]));
    const missing = userIds.filter((userId) => !found.has(userId));
    await inGroups(missing, async (userId) => {
      const status = await this.accountState(userId);
      if (status !== 'absent') found.set(userId, { disabled: status !== 'active' });
    });
    return found;
  }

  /** The account's current state, folded from its stream: for checks that must not lag (the engine, open streams). @throws Unavailable */
  async accountState(userId: UserId): Promise<UserState['status']> {
    const { state } = await this.states.fresh(userKind, userId);
    return state.status;
  }
}

/** Folds for a few items at a time. */
async function inGroups<Item>(items: readonly Item[], fold: (item: Item) => Promise<void>): Promise<void> {
  for (let start = 0; start < items.length; start += foldsAtOnceMax)
    await Promise.all(items.slice(start, start + foldsAtOnceMax).map(fold));
}

async function unlessUnavailable<Value>(value: Promise<Value>): Promise<Value | Unavailable> {
  try {
    return await value;
  } catch (error) {
    if (error instanceof Unavailable) return error;
    throw error;
  }
}

/** Returns the user of an identity; null if it has none, or was erased. For operators. @throws Unavailable */
export class FindIdentity extends Query<UserId | null> {
  constructor(readonly identity: Identity) {
    super();
  }
}

@QueryHandler(FindIdentity)
export class FindIdentityHandler implements IQueryHandler<FindIdentity> {
  constructor(private readonly identities: Identities) {}

  async execute({ identity }: FindIdentity): Promise<UserId | null> {
    const { issuer, subject } = identity;
    const { userId } = await this.identities.find({ id: await this.identities.idOf(identity), issuer, subject });
    return userId;
  }
}

/** An account as operators see it. */
export interface AccountView {
  readonly userId: UserId;
  readonly issuer: string | Erased;
  readonly subject: string | Erased;
  readonly disabled: boolean;
  readonly provisionedAt: Instant;
}

/** The account of any user. For operators. Refuses with `not_found`. @throws Unavailable */
export class FindAccount extends Query<Result<AccountView>> {
  constructor(readonly userId: UserId) {
    super();
  }
}

type Found = Pick<AccountView, 'userId' | 'disabled' | 'provisionedAt'> & Pick<UserRow, 'issuer' | 'subject'>;

const members = selectList(UserRow, ['userId', 'issuer', 'subject', 'disabled', 'provisionedAt']);

@QueryHandler(FindAccount)
export class FindAccountHandler implements IQueryHandler<FindAccount> {
  constructor(
    private readonly database: Database,
    private readonly gate: ReadGate,
    private readonly keys: KeyRing,
  ) {}

  async execute({ userId }: FindAccount): Promise<Result<AccountView>> {
    const found = await this.gate.find(async () => {
      const [row] = await this.database.query<Found>(`SELECT ${members} FROM {users} WHERE user_id = $1`, [userId]);
      return row ?? null;
    });
    if (found === null) return refuse(notFound);
    const [opened] = await openMembers(this.keys, [found], ['issuer', 'subject']);
    return opened === undefined ? refuse(notFound) : ok(opened);
  }
}
