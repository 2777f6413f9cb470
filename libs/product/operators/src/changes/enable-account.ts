import { Command, CommandBus, CommandHandler, QueryBus, type ICommandHandler } from '@nestjs/cqrs';
import { because, refuse, type Cause, type Result, type UserId } from '@app/kernel';
import { FindErasure } from '@app/privacy';
import { EnableUser } from '@app/users';

/**
 * Enables a disabled account. Idempotent. Refuses with `not_found`, and with `account_disabled` from the request of an erasure on: its first
 * step may wait a day for money, and the account stays closed meanwhile. @throws Unavailable
 */
export class EnableAccount extends Command<Result<void>> {
  constructor(readonly change: { readonly userId: UserId; readonly reason: string; readonly cause: Cause }) {
    super();
  }
}

@CommandHandler(EnableAccount)
export class EnableAccountHandler implements ICommandHandler<EnableAccount> {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  async execute({ change }: EnableAccount): Promise<Result<void>> {
    const erasure = await this.queries.execute(new FindErasure(change.userId));
    return erasure.ok ? refuse(because('account_disabled')) : this.commands.execute(new EnableUser(change));
  }
}
