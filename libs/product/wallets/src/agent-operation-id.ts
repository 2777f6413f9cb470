import { asId, type ApprovalId, type OperationId } from '@app/kernel';
import { v5 as uuidV5 } from 'uuid';

/** UUIDv5 of the approval: one approval, one operation. */
export function agentOperationId(approvalId: ApprovalId): OperationId {
  return asId<OperationId>(uuidV5('agent_transfer', approvalId));
}
