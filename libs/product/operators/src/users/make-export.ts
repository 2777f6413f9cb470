import { QueryBus, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { Result, UserId } from '@app/kernel';
import { ExportUser } from '@app/privacy';
import { FindAccount } from '@app/users';
import type { Readable } from 'node:stream';
import { OperatorReads } from '../operator-log/operator-reads';
import { OperatorQuery } from '../operator-query';

/**
 * Everything that is kept of a user who has an account, as an archive; logged with the reason. Refuses with `not_found`, and as `ExportUser`
 * does. @throws Unavailable
 */
export class MakeExport extends OperatorQuery<{ readonly userId: UserId; readonly reason: string }, Readable> {}

@QueryHandler(MakeExport)
export class MakeExportHandler implements IQueryHandler<MakeExport> {
  constructor(
    private readonly queries: QueryBus,
    private readonly reads: OperatorReads,
  ) {}

  async execute({ operator, asked: { userId, reason } }: MakeExport): Promise<Result<Readable>> {
    const account = await this.queries.execute(new FindAccount(userId));
    if (!account.ok) return account;
    await this.reads.log(operator, { operation: 'users.export', target: userId, parameters: { reason } });
    return this.queries.execute(new ExportUser(userId));
  }
}
