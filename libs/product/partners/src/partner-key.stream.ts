import type { StreamKind } from '@app/event-store';
import { partnerKeyDecider, type PartnerKeyCommand, type PartnerKeyState } from './partner-key.decider';
import { partnerKeyMembers, type PartnerKeyEvent } from './partner-key.events';
import { partnerKeyUpcasters } from './partner-key.upcasters';

/** The stream `partner-<keyId>`: one for each key. */
export const partnerKeyKind: StreamKind<PartnerKeyState, PartnerKeyCommand, PartnerKeyEvent> = {
  category: 'partner',
  decider: partnerKeyDecider,
  members: partnerKeyMembers,
  upcasters: partnerKeyUpcasters,
  stateVersion: 2,
};
