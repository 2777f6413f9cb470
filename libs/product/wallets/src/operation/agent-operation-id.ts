import { asId, type ApprovalId, type OperationId } from '@app/kernel';
import { v5 as uuidV5 } from 'uuid';

/** UUIDv5 derived from the approval's id, so that one approval makes one operation. */
export function agentOperationId(approvalId: ApprovalId): OperationId {
  return asId<OperationId>(uuidV5('agent_transfer', approvalId));
}
