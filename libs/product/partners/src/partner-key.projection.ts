import { unreachable } from '@app/kernel';
import { idInStream } from '@app/event-store';
import type { Projection } from '@app/read-store';
import type { PartnerKeyEvent } from './partner-key.events';
import { PartnerKeyRow } from './partner-key.row';
import { partnerKeyKind } from './partner-key.stream';

/** One row for each partner key. */
export const partnerKeysProjection: Projection<PartnerKeyRow, PartnerKeyEvent> = {
  name: 'partner_keys',
  version: 1,
  row: PartnerKeyRow,
  kinds: [partnerKeyKind],
  keyOf: ({ stream }) => idInStream(partnerKeyKind, stream),
  project: (row, { stream, position, event }) => {
    switch (event.type) {
      case 'partner_key.minted': {
        const keyId = idInStream(partnerKeyKind, stream);
        if (keyId === null) return row;
        return { keyId, keyHash: event.keyHash, label: event.label, mintedAt: event.at, revokedAt: null, position };
      }
      case 'partner_key.revoked':
        return row && { ...row, revokedAt: event.at, position };
      default:
        return unreachable(event);
    }
  },
};
