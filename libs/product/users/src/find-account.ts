import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { notFound, ok, refuse, type Instant, type Result, type UserId } from '@app/kernel';
import { Database, ReadGate, selectList } from '@app/read-store';
import { UserRow } from './user.projection';

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
