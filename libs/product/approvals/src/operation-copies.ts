import { Injectable, Logger } from '@nestjs/common';
import { conversationKind, type OperationCopy } from '@app/conversations';
import { decodeEvent, EventStore, idInStream, Streams, type Recorded, type StoredEvent } from '@app/event-store';
import { asId, causeOfEvent, type ApprovalId, type JsonValue, type OperationId, type RunId } from '@app/kernel';
import type { Reactor } from '@app/read-store';
import { operationKind, operationView, type OperationEvent, type OperationView } from '@app/wallets';
import { operationEventsMax } from './receipt-events';

const copiedTypes = new Set<string>(['submission.accepted', 'operation.settled', 'operation.failed']);

/**
 * Copies into the journal what becomes of the operations of its runs: `operation.submitted` when the provider has taken the first
 * action, `settlement.updated` at the end, each as of the instant at which it happened, or of the conversation's last event where
 * that is later. The conversation takes each once.
 */
@Injectable()
export class OperationCopies implements Reactor {
  readonly name = 'operation-copies';
  readonly lock = 'copies';
  readonly categories = [operationKind.category];
  private readonly logger = new Logger(OperationCopies.name);

  constructor(
    private readonly streams: Streams,
    private readonly store: EventStore,
  ) {}

  async react(stored: StoredEvent): Promise<void> {
    if (!copiedTypes.has(stored.type)) return;
    const recorded = decodeEvent<OperationEvent>(operationKind, stored);
    const events = await this.store.readStream(stored.stream, 0, Math.min(stored.revision + 1, operationEventsMax));
    const view = operationView(events.map((event) => decodeEvent<OperationEvent>(operationKind, event)));
    if (view === null || view.conversationId === null) return;
    const copy = copyOf(recorded, view);
    if (copy === null) return;
    const command = { type: 'CopyOperation', copy } as const;
    const cause = causeOfEvent(this.name, stored);
    const done = await this.streams.decide(conversationKind, view.conversationId, command, cause);
    // It would be refused again, and the others must not wait behind it.
    if (!done.ok) this.logger.error({ msg: 'a copy was refused', stream: stored.stream, refusal: done.refusal });
  }
}

/** The conversation's copy of an event of its operation; null for an event that is not copied. */
function copyOf({ event, stream }: Recorded<OperationEvent>, view: OperationView): OperationCopy | null {
  const { at } = event;
  const operationId = asId<OperationId>(idInStream(operationKind, stream) ?? '');
  if (event.type === 'submission.accepted') {
    const approvalId = asId<ApprovalId>(view.approvalId);
    const runId = view.runId === null ? null : asId<RunId>(view.runId);
    return event.index === 0 ? { type: 'operation.submitted', at, operationId, runId, approvalId } : null;
  }
  if (event.type !== 'operation.settled' && event.type !== 'operation.failed') return null;
  // Reason for the assertion: what the API answers is JSON.
  const { actions, failure } = view as unknown as {
    readonly actions: readonly JsonValue[];
    readonly failure: JsonValue;
  };
  const status = event.type === 'operation.settled' ? 'settled' : 'failed';
  return { type: 'settlement.updated', at, operationId, status, actions, failure };
}
