import { accept, spelled, unreachable, words, type Decision, type Instant } from '@app/kernel';
import type { OperationEvent } from '../operation.events';
import type { Delivered, OperationFailure, Revocation, Submission, TokenAmount } from '../../provider/submission';
import { beyondBounds, isWithinAgreedWorth } from './moved-worth';
import { matchesContract } from './operation-order';
import { currentAction, type CurrentAction, type OperationState } from '../operation.state';

/**
 * Commands of the driver about an operation's current action. Each identifies its action and submission, and is a no-op
 * if they are no longer current, because another driver was faster or the provider answered late.
 */
export type SubmissionCommand =
  | {
      readonly type: 'JournalSubmission';
      readonly at: Instant;
      readonly index: number;
      readonly submission: Submission;
      readonly worthUsd: string | null;
    }
  | (ProviderReport<'RecordAcceptance'> & { readonly providerReference: string })
  | (ProviderReport<'RecordSettled' | 'RecordRefunded'> & Delivered & { readonly providerReference: string })
  /** The provider did not accept it, and does not say that it never will. */
  | (OfSubmission<'RecordRefusal'> & { readonly failure: OperationFailure })
  /** Only a refused submission is revoked, and only once. */
  | (OfSubmission<'JournalRevocation'> & { readonly revocation: Revocation })
  /** The provider says that it failed. */
  | (ProviderReport<'RecordFailure'> & { readonly failure: OperationFailure })
  /** Nothing more can be sent for the action, and nothing sent was ever accepted; key null: nothing was journaled. */
  | (OfSubmission<'GiveUp', string | null> & { readonly failure: OperationFailure })
  | ProviderReport<'RecordUnresolved'>;

interface OfSubmission<Type extends string, Key = string> {
  readonly type: Type;
  readonly at: Instant;
  readonly index: number;
  /** The key of the submission that the command is about. */
  readonly key: Key;
}

/** An outcome of a submission as the provider reported it. */
interface ProviderReport<Type extends string> extends OfSubmission<Type> {
  /** Whether the provider was asked about the revocation too; otherwise it is unknown which one was executed. */
  readonly revocationKnown: boolean;
}

/** Decides about the current action. A failure or a refund ends the operation; the last settlement settles it. */
export function decideSubmission(command: SubmissionCommand, state: OperationState | null): Decision<OperationEvent> {
  const action = currentAction(state);
  if (state === null || action?.index !== command.index) return accept();
  if (command.type === 'JournalSubmission') return journal(command, state, action);
  return command.key === (action.submission?.key ?? null) ? decideOutcome(command, state, action) : accept();
}

function decideOutcome(
  command: Exclude<SubmissionCommand, { readonly type: 'JournalSubmission' }>,
  state: OperationState,
  action: CurrentAction,
): Decision<OperationEvent> {
  const { at, index } = command;
  if ('revocationKnown' in command && !command.revocationKnown && action.revocation !== null) return accept();
  switch (command.type) {
    case 'RecordAcceptance':
      return accept(...acceptanceEvents(command, action));
    case 'RecordRefusal':
    case 'JournalRevocation':
      return accept(...decideRefusal(command, action));
    case 'RecordSettled':
      return accept(
        ...acceptanceEvents(command, action),
        { type: 'action.settled', at, index, ...deliveredOf(command) },
        ...(index === state.actions.length - 1 ? [{ type: 'operation.settled', at } as const] : []),
      );
    case 'RecordRefunded':
      return accept(
        ...acceptanceEvents(command, action),
        { type: 'action.refunded', at, index, ...deliveredOf(command) },
        { type: 'operation.failed', at, failure: refundFailure(action.submission, command.returned) },
      );
    case 'RecordFailure':
      return accept(...failureEvents(command));
    case 'GiveUp':
      return action.providerReference === null ? accept(...failureEvents(command)) : accept();
    case 'RecordUnresolved':
      return state.status === 'unresolved' ? accept() : accept({ type: 'operation.unresolved', at });
    default:
      return unreachable(command);
  }
}

/** A refusal counts until the provider answers otherwise; a refused submission is revoked once. */
function decideRefusal(
  command: CommandOf<'RecordRefusal' | 'JournalRevocation'>,
  action: CurrentAction,
): OperationEvent[] {
  const { at, index } = command;
  switch (command.type) {
    case 'RecordRefusal':
      return action.providerReference === null && action.refusal === null
        ? [{ type: 'submission.refused', at, index, failure: command.failure }]
        : [];
    case 'JournalRevocation':
      return isRefused(action) && action.revocation === null
        ? [{ type: 'revocation.journaled', at, index, revocation: command.revocation }]
        : [];
    default:
      return unreachable(command);
  }
}

function isRefused({ providerReference, refusal }: CurrentAction): boolean {
  return providerReference === null && refusal !== null;
}

function deliveredOf({ output, returned }: Delivered): Delivered {
  return { output, returned };
}

/** Reports how much of the sent amount was given back, if the provider says so. */
function refundFailure(submission: Submission | null, returned: TokenAmount | null): OperationFailure {
  const all = words`The provider gave back what was sent.`;
  const { tokenId, amountRaw } = returned ?? { tokenId: '', amountRaw: '' };
  const sent = submission?.input;
  if (sent?.tokenId !== tokenId || sent.amountRaw === amountRaw) return { reason: 'refunded', text: all };
  const [part, whole] = [spelled(amountRaw, 'decimal'), spelled(sent.amountRaw, 'decimal')];
  const text = words`The provider gave back ${part} of the ${whole} smallest units of ${spelled(tokenId, 'tokenId')} that were sent.`;
  return { reason: 'refunded', text };
}

type CommandOf<Type extends SubmissionCommand['type']> = Extract<SubmissionCommand, { readonly type: Type }>;

/**
 * Journals new bytes only in place of bytes that never will be executed: not while the operation is unresolved, and not
 * after a refusal. A submission beyond the action's terms ends the operation instead.
 */
function journal(
  { at, index, submission, worthUsd }: CommandOf<'JournalSubmission'>,
  state: OperationState,
  action: CurrentAction,
): Decision<OperationEvent> {
  if (!maySubmit(state, index)) return accept();
  if (submission.attempt !== (action.submission?.attempt ?? 0) + 1) return accept();
  const agreed = state.terms.contract.actions[index];
  if (agreed === undefined || !matchesContract(agreed, submission) || !isWithinAgreedWorth(agreed, worthUsd))
    return accept(...failureEvents({ at, index, failure: beyondBounds }));
  return accept({ type: 'submission.journaled', at, index, submission, worthUsd });
}

/** Whether something may be sent for an action: it is the current one, and nothing sent for it may still be executed. */
export function maySubmit(state: OperationState, index: number): boolean {
  const action = currentAction(state);
  if (action?.index !== index || state.status === 'unresolved') return false;
  return action.providerReference === null && action.refusal === null;
}

/** Recorded once, also when an outcome is the provider's first answer. */
function acceptanceEvents(
  { at, index, providerReference }: CommandOf<'RecordAcceptance' | 'RecordSettled' | 'RecordRefunded'>,
  action: CurrentAction,
): OperationEvent[] {
  return action.providerReference === null ? [{ type: 'submission.accepted', at, index, providerReference }] : [];
}

function failureEvents({
  at,
  index,
  failure,
}: Pick<CommandOf<'RecordFailure' | 'GiveUp'>, 'at' | 'index' | 'failure'>): OperationEvent[] {
  return [
    { type: 'action.failed', at, index, failure },
    { type: 'operation.failed', at, failure },
  ];
}
