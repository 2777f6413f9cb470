import { approvalUpcasters } from '@app/consent';
import type { StreamKind } from '@app/event-store';
import type { JsonObject } from '@app/kernel';
import { operationDecider, type OperationCommand } from './operation.decider';
import { operationPrivateMembers, type OperationEvent } from './operation.events';
import type { OperationState } from './operation.state';

/** Version 1 always named a main account. */
const alwaysWithMainAccount = (stored: JsonObject): JsonObject => stored;

/** `operation-<operationId>`. */
export const operationKind: StreamKind<OperationState | null, OperationCommand, OperationEvent> = {
  category: 'operation',
  decider: operationDecider,
  privateMembers: operationPrivateMembers,
  upcasters: { ...approvalUpcasters, 'operation.used': [alwaysWithMainAccount] },
  stateVersion: 2,
};
