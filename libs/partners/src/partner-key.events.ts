import type { Instant } from '@app/kernel';

/** The facts of one partner key's stream. The key itself is nowhere: only the lower-case hex SHA-256 of it. */
export type PartnerKeyEvent =
  | { readonly type: 'partner_key.minted'; readonly at: Instant; readonly label: string; readonly keyHash: string }
  | { readonly type: 'partner_key.revoked'; readonly at: Instant };
