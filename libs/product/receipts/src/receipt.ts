import { holderKinds, isApprovalChange, viewOfOpening, viewAfter } from '@app/approvals';
import type { ApprovalHolderEvent, ApprovalView } from '@app/approvals';
import { canonicalText, sha256Hex } from '@app/canonical';
import { automationKind } from '@app/automations';
import type { ApprovalEvent } from '@app/consent';
import { reviewedDocument } from '@app/consent';
import { decodeEvent, idInStream, type Recorded, type StoredEvent } from '@app/event-store';
import { toBase64, utf8 } from '@app/transparency';
import { operationKind, operationView, type OperationEvent } from '@app/wallets';
import { receiptEvent, storedEventOf, type EventBytes } from './receipt-bytes';
import type { Receipt, ReceiptDecision, ReceiptProof } from './receipt.schema';

/** Returns the receipt of one approval's events, in the order of `ReceiptEvents`. Throws if none opens one. */
export function receiptOf(stored: readonly EventBytes[], proof: ReceiptProof | null): Receipt {
  const events = stored.map((event, index) => decodeHolderEvent(storedEventOf(event, index)));
  const opening = subjectOf(events);
  if (opening === undefined) throw new Error('a receipt without the opening of an approval');
  const canonical = canonicalText(reviewedDocument(opening.event));
  return {
    v: 1,
    approval: approvalOf(opening, events),
    review: { canonical: toBase64(utf8(canonical)), fingerprint: `sha256:${sha256Hex(canonical)}` },
    decision: decisionOf(opening, events),
    authority: authorityOf(opening, events),
    events: stored.map(receiptEvent),
    operation: operationView(events.filter(isOfOperation)),
    proof,
  };
}

/** Decodes an event of a receipt. @throws Error for a stream that can hold no approval */
export function decodeHolderEvent(stored: StoredEvent): Recorded<ApprovalHolderEvent> {
  const kind = holderKinds.find((one) => idInStream(one, stored.stream) !== null);
  if (kind === undefined) throw new Error(`no approval can be in ${stored.stream}`);
  return decodeEvent<ApprovalHolderEvent>(kind, stored);
}

export type Opening = Extract<ApprovalEvent, { readonly type: 'approval.opened' }>;

/** Returns the approval's opening; another one, in an automation's stream, is part of its authority. */
export function subjectOf<Placed extends Recorded<ApprovalHolderEvent>>(
  events: readonly Placed[],
): (Placed & Recorded<Opening>) | undefined {
  const openings = events.filter(isOpening);
  return openings.find((opening) => !isOfAutomation(opening)) ?? openings[0];
}

export function isOfAutomation({ stream }: Pick<StoredEvent, 'stream'>): boolean {
  return idInStream(automationKind, stream) !== null;
}

export function isOpening<Placed extends Recorded<ApprovalHolderEvent>>(
  recorded: Placed,
): recorded is Placed & Recorded<Opening> {
  return recorded.event.type === 'approval.opened';
}

export function isOfOperation<Placed extends Recorded<ApprovalHolderEvent>>(
  recorded: Placed,
): recorded is Placed & Recorded<OperationEvent> {
  return idInStream(operationKind, recorded.stream) !== null;
}

function approvalOf(
  { event, stream }: Recorded<Opening>,
  events: readonly Recorded<ApprovalHolderEvent>[],
): ApprovalView {
  return events.reduce(
    (view, { event: other, stream: at }) =>
      isApprovalChange(other) && other.approvalId === event.approvalId ? viewAfter(view, other, at) : view,
    viewOfOpening(event, stream),
  );
}

function decisionOf(
  opening: Recorded<Opening>,
  events: readonly Recorded<ApprovalHolderEvent>[],
): ReceiptDecision | null {
  for (const { event, stream, revision, metadata } of events) {
    if (event.type !== 'approval.decided' || event.approvalId !== opening.event.approvalId) continue;
    const { status, decidedBy, at } = event;
    return { stream, revision, status, decidedBy, actor: metadata.actor, at };
  }
  return null;
}

/** Returns the authority for the call: the contract of its automation, and the use of it. */
function authorityOf(
  subject: Recorded<Opening>,
  events: readonly Recorded<ApprovalHolderEvent>[],
): Receipt['authority'] {
  const asked = events.filter(isOpening).find((opening) => opening !== subject);
  if (asked === undefined) return null;
  return { approval: approvalOf(asked, events), decision: decisionOf(asked, events), use: useIn(events) };
}

function useIn(events: readonly Recorded<ApprovalHolderEvent>[]): NonNullable<Receipt['authority']>['use'] {
  for (const { event, stream, revision } of events)
    if (event.type === 'contract.used') return { stream, revision, at: event.at, usd: event.usd };
  return null;
}
