import { canonicalText, fingerprintOf } from '@app/canonical';
import { reviewedDocument, type ApprovalEvent } from '@app/consent';
import type { OperationCopy } from '@app/conversations';
import { idInStream, streamName, type Recorded, type StoredEvent } from '@app/event-store';
import { pointerTo } from '@app/kernel';
import { agentOperationId, operationKind, operationView, type OperationEvent } from '@app/wallets';
import type { ApprovalHolderEvent } from './approval.view';
import { decodeHolderEvent } from './receipt';

/** What does not hold in a receipt; `path` is a JSON pointer into the document. */
export interface ReceiptProblem {
  readonly path: string;
  readonly message: string;
}

type Placed<Event> = Recorded<Event> & { readonly index: number };
type Opening = Extract<ApprovalEvent, { readonly type: 'approval.opened' }>;
/** A claim that must hold of an event: what is wrong with the event when it does not. */
type Rule = readonly [holds: boolean, message: string];

/** Why these events, each in itself as it was stored, cannot be the history of one approval. */
export function historyProblems(stored: readonly StoredEvent[]): ReceiptProblem[] {
  const events = stored.map((event, index) => ({ ...decodeHolderEvent(event), index }));
  const [opened, ...others] = events.filter(isOpening);
  if (opened === undefined || others.length > 0) return [{ path: '/events', message: 'open not exactly one approval' }];
  const operation = events.filter(isOfOperation);
  return [
    ...openingProblems(opened),
    ...decisionProblems(opened, events.filter(isClosing)),
    ...operationProblems(opened, operation, events),
    ...copyProblems(opened, events.filter(isCopy), operation),
    ...orderProblems(events),
  ];
}

function openingProblems(opened: Placed<Opening>): ReceiptProblem[] {
  const { event } = opened;
  const reviewed = fingerprintOf(reviewedDocument(event));
  return problemsAt(opened, [[reviewed === event.fingerprint, 'what was reviewed does not hash to the fingerprint']]);
}

type Closing = Extract<ApprovalEvent, { readonly type: 'approval.decided' | 'approval.expired' }>;

function decisionProblems(opened: Placed<Opening>, closings: readonly Placed<Closing>[]): ReceiptProblem[] {
  const { approvalId, expiresAt } = opened.event;
  return closings.flatMap((closing, nth) => {
    const { event, stream, metadata } = closing;
    const byUser = event.type === 'approval.decided' && event.decidedBy === 'user';
    return problemsAt(closing, [
      [nth === 0, 'it was over already'],
      [event.approvalId === approvalId, 'is of another approval'],
      [stream === opened.stream, 'is in another stream'],
      [event.type === 'approval.expired' || event.at < expiresAt, 'came too late'],
      [!byUser || (metadata.actor.kind === 'user' && metadata.actor.id === opened.event.userId), 'is by another user'],
    ]);
  });
}

function operationProblems(
  opened: Placed<Opening>,
  operation: readonly Placed<OperationEvent>[],
  events: readonly Placed<ApprovalHolderEvent>[],
): ReceiptProblem[] {
  const [first] = operation;
  if (first === undefined) return [];
  const { event } = first;
  if (event.type !== 'operation.prepared' && event.type !== 'operation.used')
    return problemsAt(first, [[false, 'is not how an operation begins']]);
  const { approvalId, userId, walletId, contract } = opened.event;
  const decidedAt = events.findIndex(
    (other) => other.event.type === 'approval.decided' && other.event.status === 'approved',
  );
  const usedAt = operation.find(
    (other) => other.event.type === 'operation.used' || other.event.type === 'operation.confirmed',
  );
  const ownStream =
    event.type === 'operation.prepared' ? opened.stream : streamName(operationKind, agentOperationId(approvalId));
  return [
    ...problemsAt(first, [
      [event.approvalId === approvalId, 'is of another approval'],
      [event.userId === userId && event.walletId === walletId, 'is of another wallet'],
      [contract !== null && canonicalText(event.contract) === canonicalText(contract), 'runs another contract'],
      [first.stream === ownStream, "is not in this approval's operation"],
    ]),
    ...(usedAt === undefined
      ? []
      : problemsAt(usedAt, [[decidedAt !== -1 && decidedAt < usedAt.index, 'was never approved']])),
    ...operation.flatMap((recorded, nth) => sentProblems(recorded, nth, operation, usedAt?.index ?? Infinity)),
  ];
}

/** All of the operation's stream is there, and what was sent was journaled as its own, after the use. */
function sentProblems(
  recorded: Placed<OperationEvent>,
  nth: number,
  operation: readonly Placed<OperationEvent>[],
  usedAt: number,
): ReceiptProblem[] {
  const { event, stream, revision } = recorded;
  const whole: Rule[] = [
    [stream === operation[0]?.stream, 'is of another operation'],
    [revision === nth, 'is not the next of its stream'],
  ];
  if (!('index' in event)) return problemsAt(recorded, whole);
  const journaled = operation.filter(
    (earlier) =>
      earlier.index <= recorded.index &&
      earlier.event.type === 'submission.journaled' &&
      earlier.event.index === event.index,
  );
  const rules: Rule[] = [...whole, [recorded.index > usedAt, 'came before the approval was used']];
  if (event.type === 'submission.journaled') {
    const { key, attempt } = event.submission;
    const own = `${idInStream(operationKind, stream)}/${event.index}/${attempt}`;
    return problemsAt(recorded, [...rules, [key === own && attempt === journaled.length, 'is not of this operation']]);
  }
  return problemsAt(recorded, [
    ...rules,
    [event.type === 'action.failed' || journaled.length > 0, 'was never journaled'],
  ]);
}

function copyProblems(
  opened: Placed<Opening>,
  copies: readonly Placed<OperationCopy>[],
  operation: readonly Placed<OperationEvent>[],
): ReceiptProblem[] {
  const view = operationView(operation);
  return copies.flatMap((copy) => {
    const { event, stream, metadata } = copy;
    const source = operation.find(({ id }) => id === metadata.$causationId);
    const ids: Rule[] = [
      [stream === opened.stream, 'is in another stream'],
      [event.operationId === view?.id, 'is of another operation'],
      [source !== undefined && source.event.at <= event.at, 'copies nothing of the operation'],
    ];
    if (event.type === 'operation.submitted') {
      const own = event.approvalId === opened.event.approvalId && event.runId === opened.event.runId;
      return problemsAt(copy, [...ids, [own, 'is of another approval']]);
    }
    const { status, actions, failure } = event;
    const taken = operation.some((other) => other.event.type === 'submission.accepted' && other.event.index === 0);
    const first = copies.some((other) => other.index < copy.index && other.event.type === 'operation.submitted');
    const told = canonicalText({ status, actions, failure });
    const was = view && canonicalText({ status: view.status, actions: view.actions, failure: view.failure });
    const outcome: Rule[] = [
      [told === was, 'tells another outcome'],
      [first || !taken, 'tells the outcome of what it did not tell'],
    ];
    return problemsAt(copy, [...ids, ...outcome]);
  });
}

/** Those of one stream are in its order. */
function orderProblems(events: readonly Placed<ApprovalHolderEvent>[]): ReceiptProblem[] {
  const last = new Map<string, number>();
  return events.flatMap((recorded) => {
    const before = last.get(recorded.stream) ?? -1;
    last.set(recorded.stream, recorded.revision);
    return problemsAt(recorded, [[recorded.revision > before, 'is out of order']]);
  });
}

function problemsAt({ index }: { readonly index: number }, rules: readonly Rule[]): ReceiptProblem[] {
  return rules.flatMap(([holds, message]) => (holds ? [] : [{ path: pointerTo('events', index), message }]));
}

function isOpening(recorded: Placed<ApprovalHolderEvent>): recorded is Placed<Opening> {
  return recorded.event.type === 'approval.opened';
}

function isClosing(recorded: Placed<ApprovalHolderEvent>): recorded is Placed<Closing> {
  return recorded.event.type === 'approval.decided' || recorded.event.type === 'approval.expired';
}

function isCopy(recorded: Placed<ApprovalHolderEvent>): recorded is Placed<OperationCopy> {
  return recorded.event.type === 'operation.submitted' || recorded.event.type === 'settlement.updated';
}

function isOfOperation(recorded: Placed<ApprovalHolderEvent>): recorded is Placed<OperationEvent> {
  return idInStream(operationKind, recorded.stream) !== null;
}
