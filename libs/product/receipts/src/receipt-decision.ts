import { fingerprintOf } from '@app/canonical';
import { reviewedDocument } from '@app/consent';
import { reviewOf, type Opening } from './receipt';
import { closedMembers } from './receipt-members';
import type { ReceiptProblem } from './receipt-report';
import { isBefore, problemsAt, type Closing, type Placed } from './receipt-rules';

/** Returns why an approval cannot have been opened like this. */
export function openingProblems(opened: Placed<Opening>): ReceiptProblem[] {
  const { event } = opened;
  const review = reviewOf(opened);
  const hashes = review === null || fingerprintOf(reviewedDocument(review)) === event.fingerprint;
  const closed = closedMembers(opened);
  return problemsAt(opened, [
    [hashes, 'what was reviewed does not hash to the fingerprint'],
    [closed.includes('summary') || typeof event.summary === 'string', 'has a summary that is no text'],
    [closed.includes('terms') || Array.isArray(event.terms), 'has terms that are no list'],
  ]);
}

/** Returns why it cannot have ended like this: it is decided once, in time, and by its own user. */
export function decisionProblems(opened: Placed<Opening>, closings: readonly Placed<Closing>[]): ReceiptProblem[] {
  const { approvalId, expiresAt } = opened.event;
  return closings.flatMap((closing, nth) => {
    const { event, stream, metadata } = closing;
    const isClosed = closedMembers(closing).includes('denialReason');
    const byUser = event.type === 'approval.decided' && event.decidedBy === 'user';
    return problemsAt(closing, [
      [nth === 0, 'it was over already'],
      [event.approvalId === approvalId, 'is of another approval'],
      [stream === opened.stream, 'is in another stream'],
      [closing.index > opened.index, 'came before the approval was asked for'],
      [event.type === 'approval.expired' || isBefore(event.at, expiresAt), 'came too late'],
      [
        event.type === 'approval.expired' || isClosed || isTextOrNull(event.denialReason),
        'has a reason that is no text',
      ],
      [!byUser || (metadata.actor.kind === 'user' && metadata.actor.id === opened.event.userId), 'is by another user'],
    ]);
  });
}

function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === 'string';
}
