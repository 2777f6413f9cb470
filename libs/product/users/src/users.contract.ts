import { operation, type OperationGroup } from '@app/http';
import { User, type UserView } from './user.schema';

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
