import { boolean, instant, nullable, pageOfShape, shape, text, uuid, type Shaped } from '@app/schema';

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

const listed = {
  keyId: '019a3c5a-1c2d-7e3f-8a4b-5c6d7e8f9a0b',
  label: 'Acme',
  feed: false,
  createdAt: '2026-11-21T09:10:00.000Z',
};

export const keysExamples = {
  minted: { ...listed, key: 'pk_5Jv0sVbXk2mYt8Qw1Zr4LhGfDnPcEaU7oIiTyRxWqBs' } satisfies MintedPartnerKey,
  key: { ...listed, revokedAt: null } satisfies PartnerKey,
  page: { data: [{ ...listed, revokedAt: null }], nextCursor: null } satisfies PartnerKeyPage,
};
