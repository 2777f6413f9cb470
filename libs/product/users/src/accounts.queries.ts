import { Injectable } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { FoldedStates } from '@app/event-store';
import { Accounts, type AccountState } from '@app/http';
import { asId, notFound, ok, refuse, type Instant, type Result, type UserId } from '@app/kernel';
import { Database, ReadGate, selectList } from '@app/read-store';
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
  ) {
    super();
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
    for (let start = 0; start < missing.length; start += foldsAtOnceMax) {
      const some = missing.slice(start, start + foldsAtOnceMax);
      const statuses = await Promise.all(some.map((userId) => this.accountState(userId)));
      some.forEach((userId, index) => {
        const status = statuses[index] ?? 'absent';
        if (status !== 'absent') found.set(userId, { disabled: status === 'disabled' });
      });
    }
    return found;
  }

  /** The account's current state, folded from its stream: for checks that must not lag (the engine, open streams). @throws Unavailable */
  async accountState(userId: UserId): Promise<UserState['status']> {
    const { state } = await this.states.fresh(userKind, userId);
    return state.status;
  }
}

/** An account as operators see it. */
export interface AccountView {
  readonly userId: UserId;
  readonly issuer: string;
  readonly subject: string;
  readonly disabled: boolean;
  readonly provisionedAt: Instant;
}

/** The account of any user. For operators. Refuses with `not_found`. @throws Unavailable */
export class FindAccount extends Query<Result<AccountView>> {
  constructor(readonly userId: UserId) {
    super();
  }
}

const members = selectList(UserRow, ['userId', 'issuer', 'subject', 'disabled', 'provisionedAt']);

@QueryHandler(FindAccount)
export class FindAccountHandler implements IQueryHandler<FindAccount> {
  constructor(
    private readonly database: Database,
    private readonly gate: ReadGate,
  ) {}

  async execute({ userId }: FindAccount): Promise<Result<AccountView>> {
    const found = await this.gate.find(async () => {
      const [row] = await this.database.query<AccountView>(`SELECT ${members} FROM {users} WHERE user_id = $1`, [
        userId,
      ]);
      return row ?? null;
    });
    return found === null ? refuse(notFound) : ok(found);
  }
}
