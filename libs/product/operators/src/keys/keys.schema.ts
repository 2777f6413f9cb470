import { boolean, instant, integer, list, nullable, optional, pageOfShape, shape, text, uuid } from '@app/schema';
import type { Shaped } from '@app/schema';
import { cursor, Member } from '@app/http';
import { ChangeReason } from '../changes/operators.schema';

export const MintedPartnerKey = shape('MintedPartnerKey', {
  keyId: uuid(),
  key: text({ description: 'For `X-Api-Key`; it cannot be shown again' }),
  label: text(),
  feed: boolean({ description: 'Whether it may read the feed' }),
  createdAt: instant(),
});
export type MintedPartnerKey = Shaped<typeof MintedPartnerKey>;

export const PartnerKey = shape('PartnerKey', {
  keyId: uuid(),
  label: text(),
  feed: boolean({ description: 'Whether it may read the feed' }),
  createdAt: instant(),
  revokedAt: nullable(instant()),
});

export type PartnerKey = Shaped<typeof PartnerKey>;

export const PartnerKeyPage = pageOfShape('PartnerKey', PartnerKey);
export type PartnerKeyPage = Shaped<typeof PartnerKeyPage>;

/** Number of events of the whole store that one call reads, newest first. */
export const eventsReadMax = 10_000;
/** Number of users listed; any others are only counted. */
export const usersShownMax = 100;

const counted = {
  events: integer({ min: 1 }),
  lastAt: nullable(instant(), { description: 'When the last of them happened' }),
};

export const KeyUse = shape('KeyUse', {
  key: PartnerKey,
  read: shape('ReadStretch', {
    events: integer({ min: 0, description: 'Events of the whole store that were read for this answer' }),
    from: nullable(instant(), { description: 'When the oldest of them happened' }),
    to: nullable(instant(), { description: 'When the newest of them happened' }),
  }),
  lastUsedAt: nullable(instant(), { description: 'The last event among them that the key caused; null for none' }),
  requests: integer({ min: 0, description: 'Requests that caused them' }),
  events: integer({ min: 0, description: 'Events that the key caused' }),
  users: list(shape('KeyUseOfUser', { userId: uuid(), ...counted }), {
    max: usersShownMax,
    description: 'The users that it called for, those of the newest call first',
  }),
  omittedUsers: integer({ min: 0, description: 'How many more users there are' }),
  types: list(shape('KeyUseOfType', { type: text({ description: 'Type of the events' }), ...counted }), {
    description: 'What its calls did, by the type of the events that they led to',
  }),
  nextCursor: nullable(text(), { description: 'For the stretch before; null at the beginning of the store' }),
});
export type KeyUse = Shaped<typeof KeyUse>;

const listed = {
  keyId: '019a3c5a-1c2d-7e3f-8a4b-5c6d7e8f9a0b',
  label: 'Acme',
  feed: false,
  createdAt: '2026-11-21T09:10:00.000Z',
};

export const keysExamples = {
  minted: { ...listed, key: 'pk_5Jv0sVbXk2mYt8Qw1Zr4LhGfDnPcEaU7oIiTyRxWqBs' } satisfies MintedPartnerKey,
  key: { ...listed, revokedAt: null } satisfies PartnerKey,
  use: {
    key: { ...listed, revokedAt: null },
    read: { events: 9_120, from: '2026-11-14T08:00:00.000Z', to: '2026-11-21T10:00:00.000Z' },
    lastUsedAt: '2026-11-21T09:58:12.000Z',
    requests: 1,
    events: 1,
    users: [{ userId: '5d1f3a52-6a5e-5b0c-9a5e-0f3c2b7d9e11', events: 1, lastAt: '2026-11-21T09:58:12.000Z' }],
    omittedUsers: 0,
    types: [{ type: 'run.started', events: 1, lastAt: '2026-11-21T09:58:12.000Z' }],
    nextCursor: null,
  } satisfies KeyUse,
  page: { data: [{ ...listed, revokedAt: null }], nextCursor: null } satisfies PartnerKeyPage,
};

const labelLengthMax = 100;

export class MintKeyDto extends ChangeReason {
  @Member(text({ min: 1, max: labelLengthMax, visible: true, description: 'What operators know the key by' }))
  readonly label: string;

  @Member(optional(boolean({ description: 'Whether it may read the feed: the events of all users of the deployment' })))
  readonly feed?: boolean;
}

export class FindKeyDto {
  @Member(
    text({
      pattern: /^[0-9a-f]{64}$/,
      description: 'The lower-case hex SHA-256 of the key: the key itself is sent nowhere',
      examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    }),
  )
  readonly keySha256: string;
}

export class ShowKeyUseDto {
  @Member(cursor('The `nextCursor` of the answer before'))
  readonly cursor?: string;
}
