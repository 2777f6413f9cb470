import { fingerprintOf } from '@app/canonical';
import { reviewedDocument, type ApprovalEvent, type Contract } from '@app/consent';
import type { ConversationEvent } from '@app/conversations';
import { conversationKind } from '@app/conversations';
import { decodeEvent, encodeEvent, type StoredEvent } from '@app/event-store';
import {
  asId,
  instantOf,
  type Actor,
  type ApprovalId,
  type ConversationId,
  type Instant,
  type RequestId,
  type RunId,
  type RunKey,
  type ToolCallId,
  type UserId,
  type WalletId,
} from '@app/kernel';
import { agentOperationId, operationKind, operationView, type OperationEvent, type OperationTerms } from '@app/wallets';
import { receiptOf } from '../src/receipt';
import type { Receipt } from '../src/receipt.schema';

export const ids = {
  userId: asId<UserId>('5d0f3a52-6f0e-5a4c-9a8b-6a1d3f0b7c11'),
  walletId: asId<WalletId>('0190c3c2-0000-7000-8000-000000000001'),
  approvalId: asId<ApprovalId>('0190c3c2-0000-7000-8000-000000000002'),
  conversationId: asId<ConversationId>('0190c3c2-0000-7000-8000-000000000003'),
  runId: asId<RunId>('0190c3c2-0000-7000-8000-000000000004'),
  runKey: asId<RunKey>('0190c3c2-0000-7000-8000-000000000005'),
  withdrawalId: '0190c3c2-0000-7000-8000-000000000006',
};

/** An instant of the history, in seconds after its beginning. */
export function at(seconds: number): Instant {
  return instantOf(Date.parse('2026-05-04T10:00:00.000Z') + seconds * 1000);
}

const contract: Contract = {
  type: 'ledger_intents_transfer',
  actions: [
    {
      kind: 'withdraw_to_owner',
      input: { pinned: { tokenId: 'nep141:wrap.near', decimals: 24 } },
      quantity: { kind: 'exact_input_tokens', amountRaw: '1500000' },
    },
  ],
};

type Opened = Extract<ApprovalEvent, { type: 'approval.opened' }>;
type Event = ConversationEvent | OperationEvent;

const actors = {
  service: { kind: 'service', id: 'engine' },
  user: { kind: 'user', id: ids.userId, partnerKeyId: 'key-1' },
} as const satisfies Record<string, Actor>;

/** The opening of an agent's approval; `changes` are made before it is fingerprinted. */
export function opened(changes: Partial<Opened> = {}): Opened {
  const { approvalId, userId, walletId, runId, runKey } = ids;
  const review = {
    approvalId,
    userId,
    walletId,
    contract,
    expiresAt: at(86_400),
    kind: 'agent_tool' as const,
    tool: 'intents_transfer',
    input: { contract, note: 'Grüße, "quoted"', z: 1, 10: 'ten', a: [1.5, null, -0.25] } as unknown as Opened['input'],
    ...changes,
  };
  return {
    type: 'approval.opened',
    at: at(0),
    runId,
    runKey,
    automationId: null,
    toolCallId: asId<ToolCallId>(`${runId}/1/0`),
    summary: 'Withdraw 1.5 USDC to your account.',
    terms: [{ name: 'what', text: 'Withdraw 1.5 USDC to your account' }],
    ...review,
    fingerprint: fingerprintOf(reviewedDocument(review)),
  };
}

function openedWithdrawal(): Opened {
  const input = { tokenId: 'nep141:wrap.near', amountRaw: '1500000' };
  const none = { runId: null, runKey: null, toolCallId: null };
  return opened({ kind: 'withdrawal', tool: 'wallet_withdrawal', input, ...none });
}

export function decided(
  status: 'approved' | 'denied',
  seconds = 60,
): Extract<ApprovalEvent, { type: 'approval.decided' }> {
  const denialReason = status === 'denied' ? 'too much' : null;
  const { approvalId, runKey } = ids;
  return { type: 'approval.decided', at: at(seconds), approvalId, status, decidedBy: 'user', denialReason, runKey };
}

const expired: ApprovalEvent = {
  type: 'approval.expired',
  at: at(86_400),
  approvalId: ids.approvalId,
  endedReason: 'timeout',
  runKey: ids.runKey,
};

export const operationId = agentOperationId(ids.approvalId);

export function terms(changes: Partial<OperationTerms> = {}): OperationTerms {
  const { userId, walletId, approvalId, conversationId, runId } = ids;
  return {
    kind: 'agent_transfer',
    userId,
    walletId,
    approvalId,
    conversationId,
    runId,
    automationId: null,
    contract,
    mainAccountId: 'a'.repeat(64),
    expiresAt: at(3_600),
    ...changes,
  };
}

/** The one action, sent once and settled. */
export function settledActions(id: string): OperationEvent[] {
  const input = { tokenId: 'nep141:wrap.near', amountRaw: '1500000' };
  const submission = {
    key: `${id}/0/1`,
    attempt: 1,
    bytes: '{"signed":true}',
    input,
    output: null,
    leastOutput: null,
    quote: null,
    deadline: at(200),
  };
  return [
    { type: 'submission.journaled', at: at(71), index: 0, submission },
    { type: 'submission.accepted', at: at(72), index: 0, providerReference: 'ref-1' },
    { type: 'action.settled', at: at(80), index: 0, output: null, returned: null },
    { type: 'operation.settled', at: at(80) },
  ];
}

/** Builds stored events, each after those before it in its stream. */
export class History {
  readonly events: StoredEvent[] = [];

  private constructor(private readonly revisions: Map<string, number>) {}

  static begin(): History {
    // A conversation does not begin with an approval.
    return new History(new Map([[`conversation-${ids.conversationId}`, 6]]));
  }

  inConversation(event: ConversationEvent, by: keyof typeof actors = 'service', causationId = 'request-1'): this {
    return this.add(conversationKind, `conversation-${ids.conversationId}`, event, by, causationId);
  }

  inOperation(id: string, ...events: readonly OperationEvent[]): this {
    for (const event of events) {
      this.add(operationKind, `operation-${id}`, event, event.type === 'approval.decided' ? 'user' : 'service');
    }
    return this;
  }

  /** What the conversation is told of the operation so far. */
  copied(type: 'operation.submitted' | 'settlement.updated'): this {
    const ofOperation = this.events.filter(({ stream }) => stream === `operation-${operationId}`);
    const source = ofOperation.find(
      ({ type: other }) => other === (type === 'operation.submitted' ? 'submission.accepted' : 'operation.settled'),
    );
    const view = operationView(ofOperation.map((stored) => decodeEvent<OperationEvent>(operationKind, stored)));
    const { approvalId, runId } = ids;
    const outcome = { status: 'settled', actions: view?.actions, failure: null };
    const copy = {
      type,
      at: source?.payload['at'],
      operationId,
      ...(type === 'operation.submitted' ? { runId, approvalId } : outcome),
    };
    return this.inConversation(copy as unknown as ConversationEvent, 'service', source?.id);
  }

  private add(
    kind: typeof conversationKind | typeof operationKind,
    stream: string,
    event: Event,
    by: keyof typeof actors,
    causationId = 'request-1',
  ): this {
    const cause = {
      actor: actors[by],
      requestId: asId<RequestId>('request-1'),
      correlationId: 'request-1',
      causationId,
    } as const;
    const encoded = encodeEvent(kind as Parameters<typeof encodeEvent>[0], event, cause);
    const revision = (this.revisions.get(stream) ?? -1) + 1;
    this.revisions.set(stream, revision);
    // As the store gives it back.
    const { payload, metadata } = JSON.parse(
      JSON.stringify({ payload: encoded.data, metadata: encoded.metadata }),
    ) as Pick<StoredEvent, 'payload' | 'metadata'>;
    const position = this.events.length + 1;
    this.events.push({ stream, revision, position, id: encoded.id, type: encoded.type, payload, metadata });
    return this;
  }
}

/** The receipt of these events, as a client gets it. */
export function received(events: readonly StoredEvent[]): Receipt {
  return JSON.parse(JSON.stringify(receiptOf(events))) as Receipt;
}

/** The journeys that an approval can have come by. */
export const journeys = {
  pending: (): History => History.begin().inConversation(opened()),
  denied: (): History => History.begin().inConversation(opened()).inConversation(decided('denied'), 'user'),
  expired: (): History => History.begin().inConversation(opened()).inConversation(expired),
  settled: (): History =>
    History.begin()
      .inConversation(opened())
      .inConversation(decided('approved'), 'user')
      .inOperation(operationId, { type: 'operation.used', at: at(70), ...terms() }, ...settledActions(operationId))
      .copied('operation.submitted')
      .copied('settlement.updated'),
  withdrawn: (): History => {
    const withdrawal = terms({ kind: 'withdrawal', conversationId: null, runId: null });
    return History.begin().inOperation(
      ids.withdrawalId,
      { type: 'operation.prepared', at: at(0), ...withdrawal },
      openedWithdrawal(),
      decided('approved'),
      { type: 'operation.confirmed', at: at(60) },
      ...settledActions(ids.withdrawalId),
    );
  },
};
