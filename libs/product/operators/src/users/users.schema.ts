import { amountCentsMax, Budget } from '@app/budget';
import { boolean, instant, integer, list, nullable, orErased, pageOfShape, shape, text, uuid } from '@app/schema';
import type { Shaped } from '@app/schema';
import { Wallet } from '@app/wallets';
import { Member, PageQuery } from '@app/http';
import { ChangeReason } from '../changes/operators.schema';

/** Number of items of a kind that are shown, next to their total count. */
export const newestMax = 5;

export const Account = shape('Account', {
  userId: uuid({ description: 'Made when the identity was first seen; nothing can be derived from it' }),
  issuer: orErased(text()),
  subject: orErased(text()),
  disabled: boolean(),
  provisionedAt: instant(),
});
export type Account = Shaped<typeof Account>;

export const AccountPage = pageOfShape('Account', Account);
export type AccountPage = Shaped<typeof AccountPage>;

const Newest = shape('Newest', { id: uuid(), status: text(), at: instant({ description: 'Since when it is there' }) });

const Counted = shape('Counted', {
  count: integer({ min: 0 }),
  newest: list(Newest, { max: newestMax, description: 'The newest first' }),
});
export type Counted = Shaped<typeof Counted>;

export const UserOverview = shape('UserOverview', {
  account: Account,
  wallet: nullable(Wallet, { description: 'Null before the first `wallets.ensure`' }),
  budget: Budget,
  liveRuns: Counted,
  pendingApprovals: Counted,
  unresolvedOperations: Counted,
  automations: Counted,
});
export type UserOverview = Shaped<typeof UserOverview>;

const account: Account = {
  userId: '5d1f3a52-6a5e-5b0c-9a5e-0f3c2b7d9e11',
  issuer: 'https://login.example',
  subject: 'user-4711',
  disabled: false,
  provisionedAt: '2026-11-20T08:00:00.000Z',
};
const none: Counted = { count: 0, newest: [] };

export const usersExamples = {
  page: { data: [account], nextCursor: null } satisfies AccountPage,
  overview: {
    account,
    wallet: null,
    budget: {
      ok: true,
      frozen: false,
      snapshots: [
        { periodKind: 'day', capCents: 500, reservedCents: 25, spentCents: 2 },
        { periodKind: 'month', capCents: 5000, reservedCents: 25, spentCents: 318 },
      ],
    },
    liveRuns: {
      count: 1,
      newest: [{ id: '019a3c5f-2b44-7c19-8d03-6e1f4a9b7c02', status: 'running', at: '2026-11-21T09:15:42.090Z' }],
    },
    pendingApprovals: none,
    unresolvedOperations: none,
    automations: none,
  } satisfies UserOverview,
};

const cents = { min: 0, max: amountCentsMax };

/** Enough for the longest issuers and subjects. */
const searchLengthMax = 1_024;

export class SearchUsersDto extends PageQuery {
  @Member(
    text({
      min: 1,
      max: searchLengthMax,
      description: 'A user id; an id of anything that a user has; or an issuer and a subject, with a space between',
      examples: ['https://login.example user-4711'],
    }),
  )
  readonly q: string;
}

export class SetCapsDto extends ChangeReason {
  @Member(integer({ ...cents, description: 'What the user may spend in a UTC day, in cents' }))
  readonly dayCents: number;

  @Member(integer({ ...cents, description: 'What the user may spend in a UTC month, in cents' }))
  readonly monthCents: number;
}
