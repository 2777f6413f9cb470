import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { answer, Caller, Operation } from '@app/http';
import { withoutOthers, instant, shape, text, uuid, type Shaped } from '@app/schema';
import { EnsureUser } from './ensure-user';

const subjectLengthMax = 512;

/** User, as the specification shapes it. */
export const User = shape('User', {
  userId: uuid({ description: 'The account, which every other path starts from' }),
  subject: text({
    min: 1,
    max: subjectLengthMax,
    description: 'Of the verified identity, as its login provider names it',
  }),
  expiresAt: instant({ description: 'When the credential of this very request expires' }),
});
export type UserView = Shaped<typeof User>;

const example: UserView = {
  userId: '5d1f3a52-6a5e-5b0c-9a5e-0f3c2b7d9e11',
  subject: 'user-4711',
  expiresAt: '2026-11-21T10:15:00.000Z',
};

/** `{}`, or no body at all. */
const nothing = withoutOthers(shape('EmptyBody', {}));

@Controller('v1/users')
export class UsersController {
  constructor(private readonly ensureUser: EnsureUser) {}

  /** The only call that an identity without an account may make. */
  @Post()
  @HttpCode(200)
  @Operation('users.ensure', {
    account: 'not required',
    summary: 'Provision the account of the token, or find it',
    description: 'Idempotent, and the only call that an identity without an account may make.',
    takes: nothing,
    requestExample: {},
    answer: User,
    answerExample: example,
  })
  async ensure(@Caller() caller: Caller): Promise<UserView> {
    answer(await this.ensureUser.ensure(caller));
    return viewOf(caller);
  }

  /** Admission has already seen the account and the token: nothing is looked up here. */
  @Get('me')
  @Operation('users.me', { summary: "The token's account", answer: User, answerExample: example })
  me(@Caller() caller: Caller): UserView {
    return viewOf(caller);
  }
}

function viewOf({ userId, subject, tokenExpiresAt }: Caller): UserView {
  return { userId, subject, expiresAt: tokenExpiresAt };
}
