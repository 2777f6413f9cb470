import type { ApprovalHolderEvent } from '@app/approvals';
import type { ApprovalEvent } from '@app/consent';
import type { Recorded } from '@app/event-store';
import { pointerTo } from '@app/kernel';
import type { ReceiptProblem } from './receipt-report';

/** An event of a receipt, with its index in the receipt. */
export type Placed<Event> = Recorded<Event> & { readonly index: number };
export type PlacedEvent = Placed<ApprovalHolderEvent>;
export type Closing = Extract<ApprovalEvent, { readonly type: 'approval.decided' | 'approval.expired' }>;
/** A claim that must hold for an event, and the message for the case that it does not. */
export type Rule = readonly [holds: boolean, message: string];

/** Returns the broken rules of an event as problems. */
export function problemsAt(
  { index, stream, revision }: Pick<PlacedEvent, 'index' | 'stream' | 'revision'>,
  rules: readonly Rule[],
): ReceiptProblem[] {
  const path = pointerTo('events', index);
  return rules.flatMap(([holds, message]) => (holds ? [] : [{ path, stream, revision, message }]));
}

/** A problem that concerns no event in particular. */
export function problemOf(path: string, message: string): ReceiptProblem {
  return { path, stream: null, revision: null, message };
}

/** Whether an instant is before another; false for a value that is no text, which a stored event may hold. */
export function isBefore(one: unknown, other: unknown): boolean {
  return typeof one === 'string' && typeof other === 'string' && one < other;
}

export function isClosing(recorded: PlacedEvent): recorded is Placed<Closing> {
  return recorded.event.type === 'approval.decided' || recorded.event.type === 'approval.expired';
}
