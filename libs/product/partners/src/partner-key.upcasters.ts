import type { JsonObject } from '@app/kernel';

const withoutReason = (stored: JsonObject): JsonObject => ({ ...stored, reason: null });

const withoutFeed = (stored: JsonObject): JsonObject => ({ ...stored, feed: false });

/** Version 1 of both events had no reason; before version 3 there was no feed. */
export const partnerKeyUpcasters = {
  'partner_key.minted': [withoutReason, withoutFeed],
  'partner_key.revoked': [withoutReason],
};
