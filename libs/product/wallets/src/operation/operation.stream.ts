import { approvalMembers, approvalUpcasters } from '@app/consent';
import type { StreamKind } from '@app/event-store';
import { isJsonObject, type JsonObject } from '@app/kernel';
import { sealedForUser } from '@app/sealing';
import { operationDecider, type OperationCommand } from './operation.decider';
import { operationMembers, type OperationEvent } from './operation.events';
import type { OperationState } from './operation.state';

/** Version 1 always named a main account, so nothing changes. */
const alwaysWithMainAccount = (stored: JsonObject): JsonObject => stored;

/**
 * Before version 3 (version 2 of `operation.prepared`), events did not say who had decided. The id of an approval
 * decided by an automation's contract derives from the call and is a UUID of version 5; all others are of version 7.
 */
const withDecider = (stored: JsonObject): JsonObject => {
  const { approvalId } = stored;
  const isDerived = typeof approvalId === 'string' && approvalId.charAt(14) === '5';
  return { ...stored, decidedBy: isDerived ? 'automation_contract' : 'user' };
};

/** Before version 3, no worth was recorded. */
const withoutWorth = (stored: JsonObject): JsonObject => ({ ...stored, worthUsd: null });

/** Version 1 recorded nothing of the quote. */
const withoutQuote = (stored: JsonObject): JsonObject => {
  const submission = isJsonObject(stored['submission']) ? stored['submission'] : {};
  return { ...stored, submission: { ...submission, leastOutput: null, quote: null } };
};

/** Version 1 did not record what was given back. */
const withoutReturned = (stored: JsonObject): JsonObject => ({ ...stored, returned: null });

/** `operation-<operationId>`. */
export const operationKind: StreamKind<OperationState | null, OperationCommand, OperationEvent> = {
  category: 'operation',
  decider: operationDecider,
  // Only operators read an operation's stream; here, too, private members of an approval stay in the metadata.
  privateMembers: approvalMembers.privateMembers,
  members: operationMembers,
  sealedFor: (_, state) => sealedForUser(state?.terms.userId ?? null),
  upcasters: {
    ...approvalUpcasters,
    'operation.prepared': [withDecider],
    'operation.used': [alwaysWithMainAccount, withDecider],
    'submission.journaled': [withoutQuote, withoutWorth],
    'action.settled': [withoutReturned],
    'action.refunded': [withoutReturned],
  },
  stateVersion: 5,
};
