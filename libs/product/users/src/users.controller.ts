import { Controller } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { answer, Caller, Serves } from '@app/http';
import { EnsureUser } from './accounts.commands';
import { ensureUser, readOwnAccount, type UserView } from './users.contract';

@Controller()
export class UsersController {
  constructor(private readonly commands: CommandBus) {}

  /** The only call that an identity without an account may make. */
  @Serves(ensureUser)
  async ensure(@Caller() caller: Caller): Promise<UserView> {
    answer(await this.commands.execute(new EnsureUser(caller, caller.cause)));
    return viewOf(caller);
  }

  /** Reads nothing, because the request guard has already checked the account and the token. */
  @Serves(readOwnAccount)
  me(@Caller() caller: Caller): UserView {
    return viewOf(caller);
  }
}

function viewOf({ userId, subject, tokenExpiresAt }: Caller): UserView {
  return { userId, subject, expiresAt: tokenExpiresAt };
}
