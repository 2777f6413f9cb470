import type { StreamKind } from '@app/event-store';
import { operationDecider, type OperationCommand } from './operation.decider';
import { operationPrivateMembers, type OperationEvent } from './operation.events';
import type { OperationState } from './operation.state';

/** `operation-<operationId>`. */
export const operationKind: StreamKind<OperationState | null, OperationCommand, OperationEvent> = {
  category: 'operation',
  decider: operationDecider,
  privateMembers: operationPrivateMembers,
  // Version 1 always named a main account.
  upcasters: { 'operation.used': [(stored) => stored] },
  stateVersion: 1,
};
