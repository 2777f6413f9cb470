import type { ParleyClient } from '../client.js';
import { isProblem, isUnreachable } from '../problems.js';
import { answerOf, interruptOf, type Answer } from './interrupts.js';
import type { AgUiEvent, Interrupt, ResumeEntry } from './protocol.js';
import type { Schemas } from '../types.js';
import type { Thread } from './thread.js';

type Approval = Schemas['Approval'];

/** A client that acts for the owner of the conversation. */
export type Parley = Pick<ParleyClient, 'approvals' | 'conversations' | 'runs'>;

/**
 * Sends a user's answers. An answer counts once, even if it is sent again or the outcome of its first attempt is
 * unknown. One that was not accepted is reported as `parley.answer_refused`, and its approval is asked for again.
 * Throws if the outcome cannot be determined.
 */
export async function* decide(parley: Parley, resume: readonly ResumeEntry[]): AsyncGenerator<AgUiEvent, void> {
  for (const entry of resume) {
    const answer = answerOf(entry);
    const refusal = answer === null ? noAnswer : await refusalOf(parley, entry, answer);
    if (refusal === null) continue;
    yield { type: 'CUSTOM', name: 'parley.answer_refused', value: { approvalId: entry.interruptId, ...refusal } };
  }
}

interface Refusal {
  readonly reason: string;
  readonly title: string;
  readonly retryable: boolean;
}

const noAnswer: Refusal = {
  reason: 'invalid_input',
  title: 'An answer is {approved: true, fingerprint} or {approved: false, reason?}',
  retryable: false,
};

async function refusalOf(parley: Parley, entry: ResumeEntry, answer: Answer): Promise<Refusal | null> {
  try {
    await send(parley, entry.interruptId, answer);
    return null;
  } catch (error) {
    if (!isProblem(error) && !isUnreachable(error)) throw error;
    if (isProblem(error) && error.status === 404) return refused('not_found', error.title, false);
    const approval = await parley.approvals.get({ approvalId: entry.interruptId });
    if (isDone(approval, entry, answer)) return null;
    return isProblem(error)
      ? refused(error.reason ?? 'internal', error.title, error.retryable)
      : refused('unreachable', error.message, true);
  }
}

async function send(parley: Parley, approvalId: string, answer: Answer): Promise<void> {
  if (answer.approved) await parley.approvals.approve({ approvalId, fingerprint: answer.fingerprint });
  else await parley.approvals.deny({ approvalId, reason: answer.reason });
}

/** Whether an approval is as answered. A cancelled answer needs no decision once the approval is not pending. */
function isDone({ status, fingerprint }: Approval, entry: ResumeEntry, answer: Answer): boolean {
  if (answer.approved) return status === 'approved' && fingerprint === answer.fingerprint;
  return status === 'denied' || (entry.status === 'cancelled' && status !== 'pending');
}

const refused = (reason: string, title: string, retryable: boolean): Refusal => ({ reason, title, retryable });

/** Returns the approvals that a conversation waits for, as they are now. Throws as calls do. */
export async function openInterrupts(parley: Parley, { pending }: Thread): Promise<Interrupt[]> {
  const approvals = await Promise.all([...pending].map((approvalId) => parley.approvals.get({ approvalId })));
  return approvals.flatMap((one) => (one.kind === 'agent_tool' && one.status === 'pending' ? [interruptOf(one)] : []));
}
