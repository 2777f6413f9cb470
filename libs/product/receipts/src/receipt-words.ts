import type { ApprovalHolderEvent } from '@app/approvals';
import type { Recorded } from '@app/event-store';
import { isOpening, reviewOf, subjectOf } from './receipt';
import { closedMembers } from './receipt-members';
import type { ErasedMembers, ReceiptFinding, ReceiptProblem } from './receipt-report';
import { problemsAt } from './receipt-rules';

type Event = Recorded<ApprovalHolderEvent>;

/** Returns the words that a receipt does not reveal. */
export function erasedIn(events: readonly Event[]): ErasedMembers[] {
  return events.flatMap(({ stream, revision, metadata }) => {
    const members = closedMembers({ metadata });
    return members.length === 0 ? [] : [{ stream, revision, members }];
  });
}

/** Whether each opening's words that its fingerprint covers are known: of the call, and of the contract that covered it. */
export function reviewsKnown(events: readonly Event[]): { readonly subject: boolean; readonly authority: boolean } {
  const subject = subjectOf(events);
  const unknown = events.filter(isOpening).filter((opening) => reviewOf(opening) === null);
  return {
    subject: unknown.every((opening) => opening !== subject),
    authority: unknown.every((opening) => opening === subject),
  };
}

/** Returns a problem for each event whose words are demanded, and not revealed. */
export function missingWords(events: readonly Event[]): ReceiptProblem[] {
  return events.flatMap((event, index) => {
    const members = closedMembers(event);
    const missing = `lacks the words of ${members.join(', ')}: they were erased, or are withheld`;
    return problemsAt({ ...event, index }, [[members.length === 0, missing]]).map((one) => ({
      ...one,
      path: `${one.path}/revealed`,
    }));
  });
}

/** Returns what nobody can prove without the words that are not revealed. */
export function unprovenWithout(events: readonly Event[]): ReceiptFinding[] {
  const known = reviewsKnown(events);
  return [
    ...erasedIn(events).map(({ stream, revision, members }) => ({
      aspect: 'words' as const,
      text: `The words of event ${revision} of ${stream} (${members.join(', ')}): they were erased, or are withheld.`,
    })),
    ...(known.subject ? [] : [reviewUnproven]),
    ...(known.authority ? [] : [contractUnproven]),
  ];
}

const reviewUnproven: ReceiptFinding = {
  aspect: 'words',
  text: 'That the fingerprint is that of what was reviewed, this contract with it: it covers words that are not there.',
};
const contractUnproven: ReceiptFinding = {
  aspect: 'authority',
  text: "That its user reviewed the automation's contract: the fingerprint covers words that are not there.",
};
