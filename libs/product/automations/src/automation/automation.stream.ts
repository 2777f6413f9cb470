import { approvalUpcasters } from '@app/consent';
import type { StreamKind } from '@app/event-store';
import type { JsonObject } from '@app/kernel';
import type { AutomationCommand } from './automation.commands';
import { automationDecider } from './automation.decider';
import { automationPrivateMembers, type AutomationEvent } from './automation.events';
import type { AutomationState } from './automation.state';

/** Version 1 did not name the occurrence. */
const withoutOccurrence = (stored: JsonObject): JsonObject => ({ ...stored, occurrence: null });

/** The stream `automation-<automationId>`. */
export const automationKind: StreamKind<AutomationState, AutomationCommand, AutomationEvent> = {
  category: 'automation',
  decider: automationDecider,
  privateMembers: automationPrivateMembers,
  upcasters: { ...approvalUpcasters, 'contract.used': [withoutOccurrence] },
  stateVersion: 6,
};
