import { approvalUpcasters } from '@app/consent';
import type { StreamKind } from '@app/event-store';
import { isJsonObject, type JsonObject } from '@app/kernel';
import { operationDecider, type OperationCommand } from './operation.decider';
import { operationPrivateMembers, type OperationEvent } from './operation.events';
import type { OperationState } from './operation.state';

/** Version 1 always named a main account. */
const alwaysWithMainAccount = (stored: JsonObject): JsonObject => stored;

/** Version 1 kept nothing of the quote. */
const withoutQuote = (stored: JsonObject): JsonObject => {
  const submission = isJsonObject(stored['submission']) ? stored['submission'] : {};
  return { ...stored, submission: { ...submission, leastOutput: null, quote: null } };
};

/** Version 1 did not tell what came back. */
const withoutReturned = (stored: JsonObject): JsonObject => ({ ...stored, returned: null });

/** `operation-<operationId>`. */
export const operationKind: StreamKind<OperationState | null, OperationCommand, OperationEvent> = {
  category: 'operation',
  decider: operationDecider,
  privateMembers: operationPrivateMembers,
  upcasters: {
    ...approvalUpcasters,
    'operation.used': [alwaysWithMainAccount],
    'submission.journaled': [withoutQuote],
    'action.settled': [withoutReturned],
    'action.refunded': [withoutReturned],
  },
  stateVersion: 4,
};
