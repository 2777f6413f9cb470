import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { answer, Caller, Operation } from '@app/http';
import type { Instant, UserId } from '@app/kernel';
import { EnsureUser } from './ensure-user';

/** User, as the specification shapes it. */
export interface UserView {
  readonly userId: UserId;
  readonly subject: string;
  /** When the credential of this very request expires. */
  readonly expiresAt: Instant;
}

@Controller('v1/users')
export class UsersController {
  constructor(private readonly ensureUser: EnsureUser) {}

  /** The only call that an identity without an account may make. */
  @Post()
  @HttpCode(200)
  @Operation('users.ensure', { account: 'not required' })
  async ensure(@Caller() caller: Caller): Promise<UserView> {
    answer(await this.ensureUser.ensure(caller));
    return viewOf(caller);
  }

  /** Admission has already seen the account and the token: nothing is looked up here. */
  @Get('me')
  @Operation('users.me')
  me(@Caller() caller: Caller): UserView {
    return viewOf(caller);
  }
}

function viewOf({ userId, subject, tokenExpiresAt }: Caller): UserView {
  return { userId, subject, expiresAt: tokenExpiresAt };
}
