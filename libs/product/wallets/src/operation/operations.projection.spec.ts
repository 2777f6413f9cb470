import type { Contract } from '@app/consent';
import type { Recorded } from '@app/event-store';
import {
  asId,
  type ApprovalId,
  type ConversationId,
  type OperationId,
  type RunId,
  type UserId,
  words,
  type WalletId,
} from '@app/kernel';
import { instant } from '@app/testing/deciders';
import type { OperationEvent, OperationTerms } from './operation.events';
import type { Submission } from '../provider/submission';
import { operationView } from './operation.view';
import { operationsProjection } from './operations.projection';

const id = asId<OperationId>('0b7a3b7e-0000-7000-8000-00000000000a');
const at = (minute: number) => instant(`2026-03-01T10:0${minute}Z`);
const usdc = { pinned: { tokenId: 'nep141:usdc', decimals: 6 } };
const near = { pinned: { tokenId: 'nep141:wrap.near', decimals: 24 } };
const contract: Contract = {
  type: 'ledger_intents_transfer',
  actions: [
    { kind: 'swap', input: usdc, output: near, quantity: { kind: 'exact_input_tokens', amountRaw: '5' } },
    { kind: 'withdraw_to_owner', input: near, quantity: { kind: 'all_of_input' } },
  ],
};
const terms: OperationTerms = {
  kind: 'agent_transfer',
  userId: asId<UserId>('0b7a3b7e-0000-5000-8000-000000000001'),
  walletId: asId<WalletId>('0b7a3b7e-0000-7000-8000-000000000002'),
  approvalId: asId<ApprovalId>('0b7a3b7e-0000-7000-8000-000000000003'),
  conversationId: asId<ConversationId>('0b7a3b7e-0000-7000-8000-000000000004'),
  runId: asId<RunId>('0b7a3b7e-0000-7000-8000-000000000005'),
  automationId: null,
  contract,
  decidedBy: 'user',
  mainAccountId: 'ada.near',
  expiresAt: at(9),
};
const used: OperationEvent = { type: 'operation.used', at: at(0), ...terms };
const swapped = { tokenId: 'nep141:wrap.near', amountRaw: '2' };
const submission = (index: number, input: Submission['input'], output: Submission['output']): OperationEvent => ({
  type: 'submission.journaled',
  at: at(1),
  index,
  submission: {
    key: `${id}/${index}/1`,
    attempt: 1,
    bytes: '…',
    input,
    output,
    leastOutput: output,
    quote: null,
    deadline: at(5),
  },
  worthUsd: null,
});
const sent = { tokenId: 'nep141:usdc', amountRaw: '5' };
const swapSent = submission(0, sent, { ...swapped, amountRaw: '3' });
const accepted = (index: number): OperationEvent => ({
  type: 'submission.accepted',
  at: at(2),
  index,
  providerReference: `ref-${index}`,
});
const swapSettled: OperationEvent = { type: 'action.settled', at: at(3), index: 0, output: swapped, returned: null };
const refusal = { reason: 'refunded', text: words`It came back.` } as const;

const view = (...events: OperationEvent[]) =>
  operationView(
    events.map((event, revision): Recorded<OperationEvent> => ({
      stream: `operation-${id}`,
      revision,
      position: 100 + revision,
      id: '',
      type: event.type,
      event,
      // Reason for the assertion: the fold reads neither.
      ...({ payload: {}, metadata: {} } as unknown as Pick<Recorded<OperationEvent>, 'payload' | 'metadata'>),
    })),
  );

describe('an operation, as it is shown', () => {
  it('begins with what its contract says of the actions', () =>
    expect(view(used)).toEqual({
      id,
      kind: 'agent_transfer',
      status: 'submitted',
      approvalId: terms.approvalId,
      contract,
      conversationId: terms.conversationId,
      runId: terms.runId,
      automationId: null,
      failure: null,
      actions: [
        {
          index: 0,
          kind: 'swap',
          status: 'pending',
          output: null,
          leastOutput: null,
          returned: null,
          providerReference: null,
          input: { tokenId: 'nep141:usdc', amountRaw: '5' },
        },
        {
          index: 1,
          kind: 'withdraw_to_owner',
          status: 'pending',
          output: null,
          leastOutput: null,
          returned: null,
          providerReference: null,
          input: null,
        },
      ],
      createdAt: at(0),
      updatedAt: at(0),
      settledAt: null,
    }));

  it('shows what is expected as soon as it may have been sent, and what came as soon as it did', () => {
    expect(view(used, swapSent)?.actions[0]).toMatchObject({
      status: 'submitted',
      output: { amountRaw: '3' },
      leastOutput: { amountRaw: '3' },
    });
    expect(view(used, swapSent, accepted(0))?.actions[0]).toMatchObject({ providerReference: 'ref-0' });
    const settled = view(used, swapSent, accepted(0), swapSettled);
    expect(settled).toMatchObject({ status: 'submitted', updatedAt: at(3) });
    expect(settled?.actions[0]).toMatchObject({ status: 'settled', output: swapped });
  });

  it('is settled with its last action', () => {
    const end: OperationEvent[] = [
      submission(1, swapped, null),
      accepted(1),
      { type: 'action.settled', at: at(4), index: 1, output: null, returned: null },
      { type: 'operation.settled', at: at(4) },
    ];
    expect(view(used, swapSent, accepted(0), swapSettled, ...end)).toMatchObject({
      status: 'settled',
      settledAt: at(4),
      failure: null,
      actions: [{ status: 'settled' }, { status: 'settled', input: swapped, providerReference: 'ref-1' }],
    });
  });

  it('leaves later actions pending when one fails', () => {
    const refunded: OperationEvent[] = [
      { type: 'action.refunded', at: at(4), index: 0, output: null, returned: sent },
      { type: 'operation.failed', at: at(4), failure: refusal },
    ];
    expect(view(used, swapSent, accepted(0), ...refunded)).toMatchObject({
      status: 'failed',
      failure: refusal,
      settledAt: null,
      actions: [{ status: 'refunded', output: null, returned: sent }, { status: 'pending' }],
    });
    const failed: OperationEvent = { type: 'action.failed', at: at(4), index: 0, failure: refusal };
    expect(view(used, swapSent, failed)?.actions[0]).toMatchObject({ status: 'failed', output: null });
  });

  it('is unresolved until the provider can tell', () => {
    const unresolved = [used, swapSent, { type: 'operation.unresolved', at: at(2) }] as const;
    expect(view(...unresolved)).toMatchObject({ status: 'unresolved', actions: [{ status: 'submitted' }, {}] });
    expect(view(...unresolved, swapSettled)).toMatchObject({ status: 'submitted' });
  });

  it('is nothing without a beginning', () => expect([view(), view(accepted(0))]).toEqual([null, null]));

  it('counts for its user, and there by its status', () => {
    const counters = operationsProjection.counters?.({ userId: 'u', status: 'failed' } as never);
    expect(counters).toEqual(['u', 'u/failed']);
  });
});
