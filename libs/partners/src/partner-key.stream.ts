import type { StreamKind } from '@app/event-store';
import { partnerKeyDecider, type PartnerKeyCommand, type PartnerKeyState } from './partner-key.decider';
import type { PartnerKeyEvent } from './partner-key.events';

/** `partner-<keyId>`: one stream for each key. */
export const partnerKeyKind: StreamKind<PartnerKeyState, PartnerKeyCommand, PartnerKeyEvent> = {
  category: 'partner',
  decider: partnerKeyDecider,
  stateVersion: 1,
};
