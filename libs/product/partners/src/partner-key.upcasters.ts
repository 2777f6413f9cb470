import type { JsonObject } from '@app/kernel';

const withoutReason = (stored: JsonObject): JsonObject => ({ ...stored, reason: null });

/** Version 1 of both events did not say why. */
export const partnerKeyUpcasters = {
  'partner_key.minted': [withoutReason],
  'partner_key.revoked': [withoutReason],
};
