import { canonicalText } from '@app/canonical';
import type { OperationCopy } from '@app/conversations';
import { idInStream, streamName, type StoredEvent } from '@app/event-store';
import { agentOperationId, operationKind, operationView, type OperationEvent, type OperationView } from '@app/wallets';
import { decodeHolderEvent, isOfAutomation, isOfOperation, isOpening, subjectOf, type Opening } from './receipt';
import { authorityProblems } from './receipt-authority';
import { decisionProblems, openingProblems } from './receipt-decision';
import { submissionProblems } from './receipt-submissions';
import type { ReceiptProblem } from './receipt-report';
import { isClosing, problemOf, problemsAt, type Placed, type PlacedEvent, type Rule } from './receipt-rules';

/** Returns why these events, each unaltered as it was stored, cannot be the history of one approval. */
export function historyProblems(stored: readonly StoredEvent[]): ReceiptProblem[] {
  const events = stored.map((event, index) => ({ ...decodeHolderEvent(event), index }));
  const opened = subjectOf(events);
  const isOfContract = opened !== undefined && isOfAutomation(opened);
  const isOfAuthority = (event: PlacedEvent): boolean => !isOfContract && isOfAutomation(event);
  const authority = events.filter(isOfAuthority);
  const own = events.filter((event) => !isOfAuthority(event));
  if (opened === undefined || own.filter(isOpening).length > 1)
    return [problemOf('/events', 'open not exactly one approval')];
  const [closings, operation] = [own.filter(isClosing), own.filter(isOfOperation)];
  return [
    ...openingProblems(opened),
    ...decisionProblems(opened, closings),
    ...authorityProblems(opened, closings, authority),
    ...operationProblems(opened, operation, own),
    ...submissionProblems(operation, authority.find(isOpening)?.event.contract?.bounds ?? null),
    ...copyProblems(opened, own.filter(isCopy), operation),
    ...strangerProblems(own),
    ...orderProblems(events),
  ];
}

function operationProblems(
  opened: Placed<Opening>,
  operation: readonly Placed<OperationEvent>[],
  events: readonly PlacedEvent[],
): ReceiptProblem[] {
  const [first] = operation;
  if (first === undefined) return [];
  const { event } = first;
  if (event.type !== 'operation.prepared' && event.type !== 'operation.used')
    return problemsAt(first, [[false, 'is not how an operation begins']]);
  const { approvalId, userId, walletId, contract } = opened.event;
  const approved = events.find((other) => other.event.type === 'approval.decided' && other.event.status === 'approved');
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
      : problemsAt(usedAt, [[approved !== undefined && approved.index < usedAt.index, 'was never approved']])),
    ...sentProblems(operation, first.stream, usedAt?.index ?? Infinity),
  ];
}

/** Checks that the operation's stream is complete, and that each submission was journaled as its own, after the use. */
function sentProblems(
  operation: readonly Placed<OperationEvent>[],
  ownStream: string,
  usedAt: number,
): ReceiptProblem[] {
  /** The submissions of each action so far. */
  const attempts = new Map<number, number>();
  return operation.flatMap((recorded, nth) => {
    const { event, stream, revision, index } = recorded;
    const whole: Rule[] = [
      [stream === ownStream, 'is of another operation'],
      [revision === nth, 'is not the next of its stream'],
    ];
    if (!('index' in event)) return problemsAt(recorded, whole);
    const rules: Rule[] = [...whole, [index > usedAt, 'came before the approval was used']];
    const before = attempts.get(event.index) ?? 0;
    if (event.type === 'submission.journaled') {
      attempts.set(event.index, before + 1);
      const { key, attempt } = event.submission;
      const own = `${idInStream(operationKind, stream)}/${event.index}/${attempt}`;
      return problemsAt(recorded, [...rules, [key === own && attempt === before + 1, 'is not of this operation']]);
    }
    return problemsAt(recorded, [...rules, [event.type === 'action.failed' || before > 0, 'was never journaled']]);
  });
}

function copyProblems(
  opened: Placed<Opening>,
  copies: readonly Placed<OperationCopy>[],
  operation: readonly Placed<OperationEvent>[],
): ReceiptProblem[] {
  if (copies.length === 0) return [];
  const view = operationView(operation);
  const was = view && outcomeText(view);
  // The first of two events with one id, which no log has, is the source.
  const sources = new Map(operation.toReversed().map((recorded) => [recorded.id, recorded.event]));
  const taken = operation.some(({ event }) => event.type === 'submission.accepted' && event.index === 0);
  const first = copies.find(({ event }) => event.type === 'operation.submitted')?.index ?? Infinity;
  return copies.flatMap((copy) => {
    const { event, stream, metadata, index } = copy;
    const source = sources.get(metadata.$causationId);
    const ids: Rule[] = [
      [stream === opened.stream, 'is in another stream'],
      [event.operationId === view?.id, 'is of another operation'],
      [source !== undefined && source.at <= event.at, 'copies nothing of the operation'],
    ];
    if (event.type === 'operation.submitted') {
      const own = event.approvalId === opened.event.approvalId && event.runId === opened.event.runId;
      return problemsAt(copy, [...ids, [own, 'is of another approval']]);
    }
    const outcome: Rule[] = [
      [outcomeText(event) === was, 'tells another outcome'],
      [first < index || !taken, 'tells the outcome of what it did not tell'],
    ];
    return problemsAt(copy, [...ids, ...outcome]);
  });
}

type Outcome = Pick<OperationView, 'status'> & { readonly actions: unknown; readonly failure: unknown };

function outcomeText({ status, actions, failure }: Outcome): string {
  return canonicalText({ status, actions, failure });
}

/** Checks that the events of each stream are in its order. */
function orderProblems(events: readonly PlacedEvent[]): ReceiptProblem[] {
  const last = new Map<string, number>();
  return events.flatMap((recorded) => {
    const before = last.get(recorded.stream) ?? -1;
    last.set(recorded.stream, recorded.revision);
    return problemsAt(recorded, [[recorded.revision > before, 'is out of order']]);
  });
}

function isCopy(recorded: PlacedEvent): recorded is Placed<OperationCopy> {
  return recorded.event.type === 'operation.submitted' || recorded.event.type === 'settlement.updated';
}

/** Reports events other than those of the approval, its operation and its copies in the conversation. */
function strangerProblems(own: readonly PlacedEvent[]): ReceiptProblem[] {
  return own
    .filter((event) => !isOpening(event) && !isClosing(event) && !isOfOperation(event) && !isCopy(event))
    .flatMap((stranger) => problemsAt(stranger, [[false, 'does not belong here']]));
}
