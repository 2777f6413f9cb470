import { Injectable, Logger } from '@nestjs/common';
import { conversationKind, type OperationCopy } from '@app/conversations';
import { decodeEvent, EventStore, idInStream, Streams, type Recorded, type StoredEvent } from '@app/event-store';
import { asId, causeOfEvent, type ApprovalId, type JsonValue, type OperationId, type RunId } from '@app/kernel';
import type { Reactor } from '@app/read-store';
import { operationKind, operationView, type OperationEvent, type OperationView } from '@app/wallets';

/** Most events of an operation's stream: 16 actions, each sent again a few times before its operation expires. */
export const operationEventsMax = 2_000;

const copiedTypes = new Set<string>(['submission.accepted', 'operation.settled', 'operation.failed']);

/**
 * Copies the progress of a run's operations into the journal: `operation.submitted` when the provider has accepted the first action,
 * `settlement.updated` at the end, each as of the instant at which it happened, or of the conversation's last event if that is later. The
 * conversation accepts each once.
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
    const events = await this.store.readKnown(stored.stream, 0, Math.min(stored.revision + 1, operationEventsMax));
    const copied = this.store.damaged.reading(stored, () => copyIn(stored, events));
    if (copied === null) return;
    const command = { type: 'CopyOperation', copy: copied.copy } as const;
    const cause = causeOfEvent(this.name, stored);
    const done = await this.streams.decide(conversationKind, copied.conversationId, command, cause);
    // It would be refused again, and the others must not wait behind it.
    if (!done.ok) this.logger.error({ msg: 'a copy was refused', stream: stored.stream, refusal: done.refusal });
  }
}

/** Returns the copy of an operation's event, with the conversation that takes it; null if none does. */
function copyIn(stored: StoredEvent, events: readonly StoredEvent[]) {
  const view = operationView(events.map((event) => decodeEvent<OperationEvent>(operationKind, event)));
  if (view === null || view.conversationId === null) return null;
  const copy = operationCopy(decodeEvent<OperationEvent>(operationKind, stored), view);
  return copy && { copy, conversationId: view.conversationId };
}

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
