import type { Instant, MarksOf } from '@app/kernel';

/** The facts of one partner key's stream. The key itself is stored nowhere, only its lower-case hex SHA-256. */
export type PartnerKeyEvent =
  | {
      readonly type: 'partner_key.minted';
      readonly at: Instant;
      readonly label: string;
      readonly keyHash: string;
      /** The operator's reason; null when not given, as in all events of version 1. */
      readonly reason: string | null;
      /** Whether it may read the feed of all users; false in all events before version 3. */
      readonly feed: boolean;
    }
  /** A key that was minted without the feed may read it from now on. */
  | { readonly type: 'partner_key.feed_granted'; readonly at: Instant; readonly reason: string | null }
  | { readonly type: 'partner_key.revoked'; readonly at: Instant; readonly reason: string | null };

export const partnerKeyMembers: MarksOf<PartnerKeyEvent> = {
  'partner_key.minted': { label: 'clear', keyHash: 'clear', reason: 'clear', feed: 'clear' },
  'partner_key.feed_granted': { reason: 'clear' },
  'partner_key.revoked': { reason: 'clear' },
};
