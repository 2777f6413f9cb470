import { approvalMembers, approvalUpcasters } from '@app/consent';
import type { StreamKind } from '@app/event-store';
import type { JsonObject } from '@app/kernel';
import { sealedForUser } from '@app/sealing';
import type { AutomationCommand } from './automation.commands';
import { automationDecider } from './automation.decider';
import { automationMembers, type AutomationEvent } from './automation.events';
import type { AutomationState } from './automation.state';

/** Version 1 did not name the occurrence. */
const withoutOccurrence = (stored: JsonObject): JsonObject => ({ ...stored, occurrence: null });

/** The stream `automation-<automationId>`. */
export const automationKind: StreamKind<AutomationState, AutomationCommand, AutomationEvent> = {
  category: 'automation',
  decider: automationDecider,
  // Only operators read an automation's stream; private members of an approval stay in the metadata here as well.
  privateMembers: approvalMembers.privateMembers,
  members: automationMembers,
  sealedFor: (_, state) => sealedForUser(state?.userId ?? null),
  upcasters: { ...approvalUpcasters, 'contract.used': [withoutOccurrence] },
  stateVersion: 6,
};
