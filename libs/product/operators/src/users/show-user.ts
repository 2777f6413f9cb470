import { QueryBus, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { GetBudget } from '@app/budget';
import { ok, type Result, type UserId } from '@app/kernel';
import { Database, ReadGate } from '@app/read-store';
import { FindAccount } from '@app/users';
import { GetWallet, walletView } from '@app/wallets';
import { OperatorReads } from '../operator-log/operator-reads';
import { newestMax, type Counted, type UserOverview } from './users.schema';
import { OperatorQuery } from '../operator-query';

/** Returns counts and the newest of each kind of a user; logged. Refuses with `not_found`. @throws Unavailable */
export class ShowUser extends OperatorQuery<UserId, UserOverview> {}

/** There are few of each, because shares and quotas limit them. */
const kinds = {
  liveRuns: `SELECT id, status, created_at AS at, opened_position FROM {runs}
    WHERE user_id = $1 AND status IN ('queued', 'running', 'stopping')`,
  pendingApprovals: `SELECT id, status, opened_at AS at, opened_position FROM {approvals}
    WHERE user_id = $1 AND status = 'pending'`,
  unresolvedOperations: `SELECT id, status, created_at AS at, opened_position FROM {financial_operations}
    WHERE user_id = $1 AND status IN ('submitted', 'unresolved')`,
  automations: `SELECT id, CASE WHEN held THEN 'held' ELSE state END AS status, created_at AS at, opened_position
    FROM {automations} WHERE user_id = $1 AND state <> 'archived'`,
} as const;

@QueryHandler(ShowUser)
export class ShowUserHandler implements IQueryHandler<ShowUser> {
  constructor(
    private readonly reads: OperatorReads,
    private readonly queries: QueryBus,
    private readonly database: Database,
    private readonly gate: ReadGate,
  ) {}

  async execute({ operator, asked: userId }: ShowUser): Promise<Result<UserOverview>> {
    const account = await this.queries.execute(new FindAccount(userId));
    if (!account.ok) return account;
    await this.reads.log(operator, { operation: 'users.show', target: userId });
    await this.gate.caughtUp();
    const [wallet, budget] = await Promise.all([
      this.queries.execute(new GetWallet(userId)),
      this.queries.execute(new GetBudget(userId)),
    ]);
    return ok({
      account: account.value,
      wallet: wallet.ok ? walletView(wallet.value) : null,
      budget,
      liveRuns: await this.newest('liveRuns', userId),
      pendingApprovals: await this.newest('pendingApprovals', userId),
      unresolvedOperations: await this.newest('unresolvedOperations', userId),
      automations: await this.newest('automations', userId),
    });
  }

  private async newest(kind: keyof typeof kinds, userId: UserId): Promise<Counted> {
    const rows = await this.database.query<Counted['newest'][number] & { readonly count: number }>(
      `SELECT id, status, at, (count(*) OVER ())::integer AS count FROM (${kinds[kind]}) AS found
       ORDER BY opened_position DESC LIMIT $2`,
      [userId, newestMax],
    );
    return { count: rows[0]?.count ?? 0, newest: rows.map(({ id, status, at }) => ({ id, status, at })) };
  }
}
