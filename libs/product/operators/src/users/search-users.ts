import { QueryBus, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Cursors, pageOf, type Identity } from '@app/http';
import { invalid, ok, parseUuid, refuse, type JsonObject, type Result } from '@app/kernel';
import { Database, ReadGate } from '@app/read-store';
import { KeyRing, openMembers } from '@app/sealing';
import { FindIdentity, type UserRow } from '@app/users';
import { OperatorReads } from '../operator-log/operator-reads';
import type { Account, AccountPage, SearchUsersDto } from './users.schema';
import { OperatorQuery, wholeRow } from '../operator-query';

/**
 * Finds accounts by a user id, the id of anything that a user has, or an issuer and a subject. The access is logged.
 * Refuses with `invalid_input` and `invalid_cursor`. @throws Unavailable
 */
export class SearchUsers extends OperatorQuery<SearchUsersDto, AccountPage> {}

type Named = 'issuer' | 'subject';

/** The part of a search that the operators' log has. */
interface Logged {
  readonly target?: string;
  readonly parameters: JsonObject;
}

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
    private readonly queries: QueryBus,
    private readonly database: Database,
    private readonly keys: KeyRing,
    private readonly gate: ReadGate,
    private readonly cursors: Cursors,
  ) {}

  async execute({ operator, asked: { q, cursor, limit } }: SearchUsers): Promise<Result<AccountPage>> {
    const asked = searchIn(q);
    if (asked === null) return refuse(invalid('/q', 'must be an id, or an issuer and a subject with a space between'));
    const binding = { list: 'operator.users', userId: operator.operatorId, filters: { q } };
    const after = cursor === undefined ? ok([null]) : this.cursors.read(binding, cursor);
    if (!after.ok) return after;
    const { id, logged } =
      typeof asked === 'string' ? { id: asked, logged: { parameters: { q } } } : await this.named(asked);
    await this.reads.log(operator, { operation: 'users.search', ...logged });
    const [last] = after.value;
    const accounts = id === null ? [] : await this.accounts(id, typeof last === 'string' ? last : null, limit + 1);
    return ok(pageOf(accounts, limit, wholeRow, ({ userId }) => this.cursors.mint(binding, [userId])));
  }

  /** Returns the user of an identity. The log has the id that was found, and neither issuer nor subject. */
  private async named(identity: Identity): Promise<{ id: string | null; logged: Logged }> {
    const id = await this.queries.execute(new FindIdentity(identity));
    return { id, logged: { target: id ?? '', parameters: { by: 'identity', found: id !== null } } };
  }

  private async accounts(id: string, after: string | null, limit: number): Promise<readonly Account[]> {
    await this.gate.caughtUp();
    const found = await this.accountsOf(owners, id, after, limit);
    return found.length > 0 ? found : this.accountsOf(startersOfRun, id, after, limit);
  }

  private async accountsOf(userIds: string, id: string, after: string | null, limit: number): Promise<Account[]> {
    const rows = await this.database.query<Omit<Account, Named> & Pick<UserRow, Named>>(
      `SELECT user_id AS "userId", issuer, subject, disabled, provisioned_at AS "provisionedAt" FROM {users}
       WHERE user_id IN (${userIds}) AND ($2::uuid IS NULL OR user_id > $2) ORDER BY user_id LIMIT $3`,
      [id, after, limit],
    );
    return openMembers(this.keys, rows, ['issuer', 'subject']);
  }
}

/** Returns an id, or an issuer and a subject separated by a space; null for any other text. */
function searchIn(q: string): string | Identity | null {
  const [, issuer, subject] = /^(\S+)\s+(\S.*)$/su.exec(q.trim()) ?? [];
  return issuer === undefined || subject === undefined ? parseUuid(q.trim()) : { issuer, subject };
}
