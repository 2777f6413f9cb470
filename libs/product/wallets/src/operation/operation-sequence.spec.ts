import fc from 'fast-check';
import {
  at,
  confirm,
  expiresAt,
  failure,
  oneWithdrawal,
  prepare,
  reference,
  submissionOf,
  twoActions,
  used,
  worthUsd,
} from '../../test/operation-facts';
import { operationDecider, type OperationCommand } from './operation.decider';
import type { OperationEvent } from './operation.events';
import { mayFollow } from './operation-sequence';
import type { OperationState } from './operation.state';

const { approvalId } = oneWithdrawal;
const types = [
  'action.failed',
  'action.refunded',
  'action.settled',
  'approval.decided',
  'approval.expired',
  'approval.opened',
  'operation.confirmed',
  'operation.failed',
  'operation.prepared',
  'operation.settled',
  'operation.unresolved',
  'operation.used',
  'revocation.journaled',
  'submission.accepted',
  'submission.journaled',
  'submission.refused',
];
const uses: OperationCommand[] = [
  prepare,
  confirm(),
  { type: 'UseApproval', at, terms: twoActions },
  { type: 'ExpireApproval', at: expiresAt, approvalId },
  { type: 'DecideApproval', at, approvalId, decidedBy: 'user', verdict: { status: 'denied', denialReason: null } },
];

/** Every command about a submission: those that go on, and those that end its operation. */
function aboutSubmission(
  index: number,
  attempt: number,
  revocationKnown: boolean,
): Record<'on' | 'end', OperationCommand[]> {
  const submission = submissionOf(index, attempt);
  const about = { at, index, key: submission.key };
  const told = { ...about, revocationKnown };
  const outcome = { ...told, providerReference: reference, output: null, returned: null };
  return {
    on: [
      { type: 'JournalSubmission', at, index, submission, worthUsd },
      { type: 'RecordAcceptance', ...told, providerReference: reference },
      { type: 'RecordSettled', ...outcome },
      { type: 'RecordRefusal', ...about, failure },
      { type: 'JournalRevocation', ...about, revocation: { key: about.key, bytes: 'bytes' } },
      { type: 'RecordUnresolved', ...told },
    ],
    end: [
      { type: 'RecordRefunded', ...outcome },
      { type: 'RecordFailure', ...told, failure },
      { type: 'GiveUp', ...about, failure },
      { type: 'GiveUp', ...about, key: null, failure },
    ],
  };
}

const submissions = fc.tuple(fc.constantFrom(0, 1), fc.constantFrom(1, 2), fc.boolean());
const commands = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom(...uses) },
  { weight: 1, arbitrary: submissions.chain((about) => fc.constantFrom(...aboutSubmission(...about).end)) },
  { weight: 20, arbitrary: submissions.chain((about) => fc.constantFrom(...aboutSubmission(...about).on)) },
);

/** The events that these commands lead to, after an operation's use or its preparation. */
function play(begun: OperationCommand, history: readonly OperationCommand[]): OperationEvent[] {
  let state: OperationState | null = operationDecider.initialState;
  return [begun, ...history].flatMap((command) => {
    const decision = operationDecider.decide(command, state);
    const events = decision.accepted ? decision.events : [];
    for (const event of events) {
      expect([event.type, mayFollow(state, event)]).toEqual([event.type, true]);
      state = operationDecider.evolve(state, event);
    }
    return [...events];
  });
}

describe('the events of an operation', () => {
  it('follow each other in whatever order they are decided, and none of them comes twice in the same place', () => {
    const reached = new Set<string>();
    const begun = fc.constantFrom(...uses.filter(({ type }) => type === 'UseApproval' || type === 'PrepareWithdrawal'));
    fc.assert(
      fc.property(begun, fc.array(commands, { maxLength: 60, size: 'max' }), (first, history) => {
        const events = play(first, history);
        const end = events.reduce(operationDecider.evolve, operationDecider.initialState);
        for (const { type } of events) reached.add(type);
        // An operation has begun: nothing begins it again.
        expect(mayFollow(end, used)).toBe(false);
        for (const type of ['operation.settled', 'operation.failed'] as const)
          if (end?.status === type.slice('operation.'.length))
            for (const event of events) expect([event.type, mayFollow(end, event)]).toEqual([event.type, false]);
      }),
      { numRuns: 1_000 },
    );
    expect([...reached].sort()).toEqual(types);
  });
});
