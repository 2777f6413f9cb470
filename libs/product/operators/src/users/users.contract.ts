import { operation, type OperationGroup } from '@app/http';
import { ChangeReason, MadeChange, madeExample, reasonedChange } from '../changes/operators.schema';
import { Erasure, ErasureCertificate, erasureExamples } from './erasure.schema';
import { AccountPage, SearchUsersDto, SetCapsDto, UserOverview, usersExamples } from './users.schema';

export const operatorsUsersGroup: OperationGroup = {
  name: 'users',
  description: 'Accounts, their money and their limits',
};

const userId = '5d1f3a52-6a5e-5b0c-9a5e-0f3c2b7d9e11';
const reason = 'a report of fraud';

export const searchUsers = operation('users.search', {
  route: 'GET /operator/v1/users',
  scope: 'users',
  summary: 'Find the users that something belongs to',
  description: 'The look is logged.',
  query: SearchUsersDto,
  answer: AccountPage,
  examples: { answer: usersExamples.page },
});

export const showUser = operation('users.show', {
  route: 'GET /operator/v1/users/:userId',
  scope: 'users',
  summary: 'What there is of a user',
  description: 'Account, wallet and budget, and of the rest how much there is and the newest. The look is logged.',
  answer: UserOverview,
  examples: { answer: usersExamples.overview },
});

export const disableUser = operation('users.disable', {
  route: 'POST /operator/v1/users/:userId/disable',
  scope: 'users',
  summary: 'Take an account out of service',
  description: 'Its requests are refused with `account_disabled`; nothing of its history is lost. Idempotent.',
  ...reasonedChange('users.disable', userId, reason),
});

export const enableUser = operation('users.enable', {
  route: 'POST /operator/v1/users/:userId/enable',
  scope: 'users',
  summary: 'Put an account back into service',
  description: 'Idempotent. One that is erased stays closed, from the request on.',
  reasons: ['account_disabled'],
  ...reasonedChange('users.enable', userId, reason),
});

export const freezeUser = operation('users.freeze', {
  route: 'POST /operator/v1/users/:userId/freeze',
  scope: 'users',
  summary: 'Freeze what a user may spend',
  description:
    'No run starts any more (`budget_exhausted`, not retryable), and runs end at their next step, whatever the caps hold. Idempotent.',
  ...reasonedChange('users.freeze', userId, reason),
});

export const unfreezeUser = operation('users.unfreeze', {
  route: 'POST /operator/v1/users/:userId/unfreeze',
  scope: 'users',
  summary: 'Let a user spend again',
  description: 'As far as the caps allow. Idempotent.',
  ...reasonedChange('users.unfreeze', userId, reason),
});

export const setUserCaps = operation('users.setCaps', {
  route: 'PUT /operator/v1/users/:userId/caps',
  scope: 'users',
  summary: 'Set what a user may spend',
  description: 'In place of `BUDGET_DAY_CENTS` and `BUDGET_MONTH_CENTS`, for this user, from now on.',
  body: SetCapsDto,
  answer: MadeChange,
  examples: {
    body: { dayCents: 2_000, monthCents: 20_000, reason: 'a large customer' },
    answer: madeExample('users.setCaps', userId),
  },
});

export const disableWallet = operation('users.disableWallet', {
  route: 'POST /operator/v1/users/:userId/wallet/disable',
  scope: 'users',
  summary: "Stop money from leaving a user's wallet",
  description: 'What was sent is followed to its end. A user without a wallet is a 404. Idempotent.',
  ...reasonedChange('users.disableWallet', userId, reason),
});

export const enableWallet = operation('users.enableWallet', {
  route: 'POST /operator/v1/users/:userId/wallet/enable',
  scope: 'users',
  summary: "Let money leave a user's wallet again",
  description: 'A user without a wallet is a 404. Idempotent.',
  ...reasonedChange('users.enableWallet', userId, reason),
});

export const eraseUser = operation('users.erase', {
  route: 'POST /operator/v1/users/:userId/erase',
  scope: 'users',
  summary: 'Erase what is kept of a person, for good',
  description:
    'Closes the account for good, settles money in flight for a day at most, and then destroys the keys of its words, which nobody can undo. The books, and all proofs, stay. It is answered when it is recorded; `users.erasure` says how far it is. Idempotent.',
  ...reasonedChange('users.erase', userId, 'the person asked for it'),
});

export const showErasure = operation('users.erasure', {
  route: 'GET /operator/v1/users/:userId/erase',
  scope: 'users',
  summary: 'How far the erasure of a user is',
  description: 'A 404 where nobody asked for one. The look is logged.',
  answer: Erasure,
  examples: { answer: erasureExamples.progress },
});

export const showCertificate = operation('users.certificate', {
  route: 'GET /operator/v1/users/:userId/erase/certificate',
  scope: 'users',
  summary: 'The certificate of an erasure',
  description: 'A 404 until it is completed. It has no personal data, and may be passed on. The look is logged.',
  answer: ErasureCertificate,
  examples: { answer: erasureExamples.certificate },
});

export const exportUser = operation('users.export', {
  route: 'POST /operator/v1/users/:userId/export',
  scope: 'users',
  waits: true,
  takesLong: true,
  summary: 'Everything that is kept of a person, as one archive',
  description:
    'A ZIP archive that is made while it is read: events with their words open, the bytes of artifacts, and `README.md`, which says what each ' +
    'file is. `manifest.json` is its last file, with counts and hashes: an archive without it was cut, and the call can simply be repeated. ' +
    'Two are made at a time by one process (`rate_limited`), each within an hour. The look is logged, with its reason.',
  body: ChangeReason,
  answer: { mediaType: 'application/zip', description: 'The archive', binary: true },
  reasons: ['rate_limited'],
  examples: { body: { reason: 'the person asked for it' } },
});
