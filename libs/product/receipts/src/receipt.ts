import { holderKinds, isApprovalChange, viewOfOpening, viewAfter } from '@app/approvals';
import type { ApprovalHolderEvent, ApprovalView } from '@app/approvals';
import { canonicalText, sha256Hex } from '@app/canonical';
import { automationKind } from '@app/automations';
import type { ApprovalEvent } from '@app/consent';
import { erased, unreachable } from '@app/kernel';
import { reviewedDocument, type Review } from '@app/consent';
import { decodeEvent, idInStream, type Recorded, type StoredEvent } from '@app/event-store';
import { toBase64, utf8 } from '@app/transparency';
import { operationKind, operationView, type OperationEvent } from '@app/wallets';
import { receiptEvent, storedEventOf } from './receipt-bytes';
import { closedMembers } from './receipt-members';
import type { ReceiptSource } from './parts/receipt-source';
import type { Receipt, ReceiptDecision, ReceiptProof } from './receipt.schema';

/** Returns the receipt of one approval's events, in the order of `ReceiptEvents`. Throws if none opens one. */
export function receiptOf(stored: readonly ReceiptSource[], proof: ReceiptProof | null): Receipt {
  const events = stored.map((event, index) => decodeHolderEvent(storedEventOf(event, index)));
  const opening = subjectOf(events);
  if (opening === undefined) throw new Error('a receipt without the opening of an approval');
  return {
    v: 1,
    approval: approvalOf(opening, events),
    review: reviewedBytesOf(opening),
    decision: decisionOf(opening, events),
    authority: authorityOf(opening, events),
    events: stored.map(receiptEvent),
    operation: operationView(events.filter(isOfOperation)),
    proof,
  };
}

function reviewedBytesOf(opening: Recorded<Opening>): Receipt['review'] {
  const review = reviewOf(opening);
  if (review === null) return { canonical: erased, fingerprint: opening.event.fingerprint };
  const canonical = canonicalText(reviewedDocument(review));
  return { canonical: toBase64(utf8(canonical)), fingerprint: `sha256:${sha256Hex(canonical)}` };
}

/** Returns what was reviewed; null if words that the fingerprint covers are not revealed. @throws Error for an unknown version */
export function reviewOf(opening: Recorded<Opening>): Review | null {
  const closed = closedMembers(opening);
  if (coveredWords(opening.event.fingerprintVersion).some((member) => closed.includes(member))) return null;
  // Reason for the assertion: the words that it covers are open.
  return opening.event as Review;
}

function coveredWords(version: Review['fingerprintVersion']): readonly string[] {
  switch (version) {
    case 1:
      return ['input'];
    case 2:
      return ['input', 'summary', 'terms'];
    default:
      return unreachable(version);
  }
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
  const view = events.reduce(
    (before, { event: other, stream: at }) =>
      isApprovalChange(other) && other.approvalId === event.approvalId ? viewAfter(before, other, at) : before,
    viewOfOpening(event, stream),
  );
  // Reason for the assertion: the words in events of a receipt are open or erased.
  return view as ApprovalView;
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
