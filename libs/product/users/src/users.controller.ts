import { Controller } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { answer, Caller, CallerIdentity, Serves } from '@app/http';
import type { UserId } from '@app/kernel';
import { EnsureUser } from './accounts.commands';
import { ensureUser, readOwnAccount, type UserView } from './users.contract';

@Controller()
export class UsersController {
  constructor(private readonly commands: CommandBus) {}

  /** The only call that an identity without an account may make. */
  @Serves(ensureUser)
  async ensure(@CallerIdentity() caller: CallerIdentity): Promise<UserView> {
    return viewOf(caller, answer(await this.commands.execute(new EnsureUser(caller, caller.causeFor))));
  }

  /** Reads nothing, because the request guard has already checked the account and the token. */
  @Serves(readOwnAccount)
  me(@Caller() caller: Caller): UserView {
    return viewOf(caller, caller.userId);
  }
}

function viewOf({ subject, tokenExpiresAt }: Caller | CallerIdentity, userId: UserId): UserView {
  return { userId, subject, expiresAt: tokenExpiresAt };
}
