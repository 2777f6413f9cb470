import type { OperationCopy } from '@app/conversations';
import { idInStream, type Recorded } from '@app/event-store';
import { asId, type ApprovalId, type JsonValue, type OperationId, type RunId } from '@app/kernel';
import { operationKind, type OperationEvent, type OperationView } from '@app/wallets';

/**
 * Returns an event of an operation as a conversation's journal shows it; null for one that no journal shows. @param view as of that event
 */
export function operationCopy({ event, stream }: Recorded<OperationEvent>, view: OperationView): OperationCopy | null {
  const { at } = event;
  const operationId = asId<OperationId>(idInStream(operationKind, stream) ?? '');
  if (event.type === 'submission.accepted') {
    const approvalId = asId<ApprovalId>(view.approvalId);
    const runId = view.runId === null ? null : asId<RunId>(view.runId);
    return event.index === 0 ? { type: 'operation.submitted', at, operationId, runId, approvalId } : null;
  }
  if (event.type !== 'operation.settled' && event.type !== 'operation.failed') return null;
  // Reason for the assertion: the API's answer is JSON.
  const { actions, failure } = view as unknown as {
    readonly actions: readonly JsonValue[];
    readonly failure: JsonValue;
  };
  const status = event.type === 'operation.settled' ? 'settled' : 'failed';
  return { type: 'settlement.updated', at, operationId, status, actions, failure };
}
