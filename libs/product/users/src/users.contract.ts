import { operation, type OperationGroup } from '@app/http';
import { instant, shape, text, uuid, type Shaped } from '@app/schema';

const subjectLengthMax = 512;

/** User, in the shape of the specification. */
const User = shape('User', {
  userId: uuid({ description: 'The account, which every other path starts from' }),
  subject: text({
    min: 1,
    max: subjectLengthMax,
    description: 'Of the verified identity, as its login provider names it',
  }),
  expiresAt: instant({ description: 'When the credential of this very request expires' }),
});

export type UserView = Shaped<typeof User>;

export const usersGroup: OperationGroup = {
  name: 'users',
  description: 'The account that every other path starts from',
};

const example: UserView = {
  userId: '5d1f3a52-6a5e-5b0c-9a5e-0f3c2b7d9e11',
  subject: 'user-4711',
  expiresAt: '2026-11-21T10:15:00.000Z',
};

/** `{}`, or no body at all. */
class EmptyBodyDto {}

export const ensureUser = operation('users.ensure', {
  route: 'POST /v1/users',
  account: 'not required',
  summary: 'Provision the account of the token, or find it',
  description: 'Idempotent, and the only call that an identity without an account may make.',
  body: EmptyBodyDto,
  answer: User,
  examples: { body: {}, answer: example },
});

export const readOwnAccount = operation('users.me', {
  route: 'GET /v1/users/me',
  summary: "The token's account",
  answer: User,
  examples: { answer: example },
});
