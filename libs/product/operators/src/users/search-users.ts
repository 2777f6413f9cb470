import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Cursors, pageOf, userIdOf } from '@app/http';
import { invalid, ok, parseUuid, refuse, type Result } from '@app/kernel';
import { Database, ReadGate } from '@app/read-store';
import { OperatorReads } from '../operator-log/operator-reads';
import type { Account, AccountPage, SearchUsersDto } from './users.schema';
import { OperatorQuery, wholeRow } from '../operator-query';

/**
 * Finds accounts by a user id, the id of anything that a user has, or an issuer and a subject. The access is logged.
 * Refuses with `invalid_input` and `invalid_cursor`. @throws Unavailable
 */
export class SearchUsers extends OperatorQuery<SearchUsersDto, AccountPage> {}

/** The owner of a thing, by its id inside the deployment. */
const owners = `
  SELECT $1::uuid AS user_id
  UNION SELECT user_id FROM {conversations} WHERE id = $1
  UNION SELECT c.user_id FROM {messages} AS m JOIN {conversations} AS c ON c.id = m.conversation_id WHERE m.id = $1
  UNION SELECT user_id::uuid FROM {artifacts} WHERE id = $1
  UNION SELECT user_id FROM {runs} WHERE run_key = $1
  UNION SELECT user_id FROM {approvals} WHERE id = $1
  UNION SELECT user_id FROM {financial_operations} WHERE id = $1
  UNION SELECT user_id FROM {automations} WHERE id = $1
  UNION SELECT a.user_id FROM {occurrences} AS o JOIN {automations} AS a ON a.id = o.automation_id WHERE o.id = $1
  UNION SELECT a.user_id FROM {automation_inputs} AS i JOIN {automations} AS a ON a.id = i.automation_id WHERE i.id = $1`;
/** A run's public id is chosen by its user: several users can have the same one, and it has no index. */
const startersOfRun = 'SELECT DISTINCT user_id FROM {runs} WHERE id = $1';

@QueryHandler(SearchUsers)
export class SearchUsersHandler implements IQueryHandler<SearchUsers> {
  constructor(
    private readonly reads: OperatorReads,
    private readonly database: Database,
    private readonly gate: ReadGate,
    private readonly cursors: Cursors,
  ) {}

  async execute({ operator, asked: { q, cursor, limit } }: SearchUsers): Promise<Result<AccountPage>> {
    const id = idIn(q);
    if (id === null) return refuse(invalid('/q', 'must be an id, or an issuer and a subject with a space between'));
    const binding = { list: 'operator.users', userId: operator.operatorId, filters: { q } };
    const after = cursor === undefined ? ok([null]) : this.cursors.read(binding, cursor);
    if (!after.ok) return after;
    await this.reads.log(operator, { operation: 'users.search', parameters: { q } });
    const [last] = after.value;
    const accounts = await this.accounts(id, typeof last === 'string' ? last : null, limit + 1);
    return ok(pageOf(accounts, limit, wholeRow, ({ userId }) => this.cursors.mint(binding, [userId])));
  }

  private async accounts(id: string, after: string | null, limit: number): Promise<readonly Account[]> {
    await this.gate.caughtUp();
    const found = await this.accountsOf(owners, id, after, limit);
    return found.length > 0 ? found : this.accountsOf(startersOfRun, id, after, limit);
  }

  private async accountsOf(userIds: string, id: string, after: string | null, limit: number): Promise<Account[]> {
    return this.database.query<Account>(
      `SELECT user_id AS "userId", issuer, subject, disabled, provisioned_at AS "provisionedAt" FROM {users}
       WHERE user_id IN (${userIds}) AND ($2::uuid IS NULL OR user_id > $2) ORDER BY user_id LIMIT $3`,
      [id, after, limit],
    );
  }
}

/** Returns the id itself, or the user id of an issuer and a subject separated by a space; null for any other text. */
function idIn(q: string): string | null {
  const [, issuer, subject] = /^(\S+)\s+(\S.*)$/su.exec(q.trim()) ?? [];
  return issuer === undefined || subject === undefined ? parseUuid(q.trim()) : userIdOf(issuer, subject);
}
