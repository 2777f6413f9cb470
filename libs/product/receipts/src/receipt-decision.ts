import { fingerprintOf } from '@app/canonical';
import { reviewedDocument } from '@app/consent';
import type { Opening } from './receipt';
import type { ReceiptProblem } from './receipt-report';
import { isBefore, problemsAt, type Closing, type Placed } from './receipt-rules';

/** Returns why an approval cannot have been opened like this. */
export function openingProblems(opened: Placed<Opening>): ReceiptProblem[] {
  const { event } = opened;
  const reviewed = fingerprintOf(reviewedDocument(event));
  return problemsAt(opened, [[reviewed === event.fingerprint, 'what was reviewed does not hash to the fingerprint']]);
}

/** Returns why it cannot have ended like this: it is decided once, in time, and by its own user. */
export function decisionProblems(opened: Placed<Opening>, closings: readonly Placed<Closing>[]): ReceiptProblem[] {
  const { approvalId, expiresAt } = opened.event;
  return closings.flatMap((closing, nth) => {
    const { event, stream, metadata } = closing;
    const byUser = event.type === 'approval.decided' && event.decidedBy === 'user';
    return problemsAt(closing, [
      [nth === 0, 'it was over already'],
      [event.approvalId === approvalId, 'is of another approval'],
      [stream === opened.stream, 'is in another stream'],
      [closing.index > opened.index, 'came before the approval was asked for'],
      [event.type === 'approval.expired' || isBefore(event.at, expiresAt), 'came too late'],
      [!byUser || (metadata.actor.kind === 'user' && metadata.actor.id === opened.event.userId), 'is by another user'],
    ]);
  });
}
