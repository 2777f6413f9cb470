import { Command, CommandBus, CommandHandler, QueryBus, type ICommandHandler } from '@nestjs/cqrs';
import type { Operator } from '@app/http';
import type { JsonObject, Result, UserId } from '@app/kernel';
import { FindAccount } from '@app/users';
import type { ChangeName } from '../changes/changes';
import { MakeChange } from '../changes/make-change';
import type { MadeChange } from '../changes/operators.schema';

/** Changes a user who has an account: a budget accepts any id. Refuses with `not_found`, and as `MakeChange` does. */
export class ChangeUser extends Command<Result<MadeChange>> {
  constructor(
    readonly operator: Operator,
    readonly userId: UserId,
    readonly change: {
      readonly operation: Extract<ChangeName, `users.${string}`>;
      readonly parameters?: JsonObject;
      readonly reason: string;
    },
  ) {
    super();
  }
}

@CommandHandler(ChangeUser)
export class ChangeUserHandler implements ICommandHandler<ChangeUser> {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  async execute({ operator, userId, change }: ChangeUser): Promise<Result<MadeChange>> {
    const account = await this.queries.execute(new FindAccount(userId));
    return account.ok ? this.commands.execute(new MakeChange(operator, { ...change, target: userId })) : account;
  }
}
