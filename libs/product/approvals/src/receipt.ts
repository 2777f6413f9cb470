import type { ApprovalEvent } from '@app/consent';
import { reviewedDocument } from '@app/consent';
import { canonicalText, sha256Hex } from '@app/canonical';
import { decodeEvent, idInStream, type Recorded, type StoredEvent } from '@app/event-store';
import { operationKind, operationView, type OperationEvent } from '@app/wallets';
import type { ApprovalView } from './approval.schema';
import { holderKinds, isApprovalChange, viewOfOpening, viewAfter, type ApprovalHolderEvent } from './approval.view';
import type { Receipt, ReceiptDecision, ReceiptEvent } from './receipt.schema';

/** The receipt that these events come to; they are of one approval, in the order above. Throws when the first opens none. */
export function receiptOf(stored: readonly StoredEvent[]): Receipt {
  const events = stored.map(decodeHolderEvent);
  const opening = events.map(({ event }) => event).find((event) => event.type === 'approval.opened');
  if (opening === undefined) throw new Error('a receipt without the opening of an approval');
  const canonical = canonicalText(reviewedDocument(opening));
  return {
    v: 1,
    approval: approvalOf(opening, events),
    review: { canonical: base64(canonical), fingerprint: `sha256:${sha256Hex(canonical)}` },
    decision: decisionOf(events),
    events: stored.map(receiptEvent),
    operation: operationView(events.filter(isOfOperation)),
    proof: null,
  };
}

/** The domain event of an event in a receipt. @throws Error for a stream that can hold no approval */
export function decodeHolderEvent(stored: StoredEvent): Recorded<ApprovalHolderEvent> {
  const kind = holderKinds.find((one) => idInStream(one, stored.stream) !== null);
  if (kind === undefined) throw new Error(`no approval can be in ${stored.stream}`);
  return decodeEvent<ApprovalHolderEvent>(kind, stored);
}

type Opening = Extract<ApprovalEvent, { readonly type: 'approval.opened' }>;

function approvalOf(opening: Opening, events: readonly Recorded<ApprovalHolderEvent>[]): ApprovalView {
  const stream = events.find(({ event }) => event === opening)?.stream ?? '';
  return events.reduce(
    (view, { event, stream: at }) => (isApprovalChange(event) ? viewAfter(view, event, at) : view),
    viewOfOpening(opening, stream),
  );
}

function decisionOf(events: readonly Recorded<ApprovalHolderEvent>[]): ReceiptDecision | null {
  for (const { event, stream, revision, metadata } of events) {
    if (event.type !== 'approval.decided') continue;
    const { status, decidedBy, at } = event;
    return { stream, revision, status, decidedBy, actor: metadata.actor, at };
  }
  return null;
}

function isOfOperation(recorded: Recorded<ApprovalHolderEvent>): recorded is Recorded<OperationEvent> {
  return idInStream(operationKind, recorded.stream) !== null;
}

/**
 * The client hands events over parsed. Their bytes are those of `JSON.stringify`, which wrote them and gives the same text for what
 * it parsed from that text: members keep their order, and numbers and texts have one spelling.
 */
function receiptEvent({ stream, revision, id, type, payload, metadata }: StoredEvent): ReceiptEvent {
  const bytes = { data: JSON.stringify(payload), metadata: JSON.stringify(metadata) };
  const hashes = { dataSha256: sha256Hex(bytes.data), metadataSha256: sha256Hex(bytes.metadata) };
  const leafSha256 = sha256Hex(canonicalText({ stream, revision, id, type, ...hashes }));
  const encoded = { data: base64(bytes.data), metadata: base64(bytes.metadata) };
  return { stream, revision, id, type, ...encoded, ...hashes, leafSha256 };
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
