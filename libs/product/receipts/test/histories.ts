import { automationKind, type AutomationEvent } from '@app/automations';
import type { ConversationEvent } from '@app/conversations';
import { conversationKind } from '@app/conversations';
import { decodeEvent, encodeEvent, type StoredEvent } from '@app/event-store';
import { asId, type Actor, type RequestId } from '@app/kernel';
import { utf8 } from '@app/transparency';
import { operationKind, operationView, type OperationEvent } from '@app/wallets';
import { receiptOf } from '../src/receipt';
import type { EventBytes } from '../src/parts/receipt-source';
import type { Receipt } from '../src/receipt.schema';
import {
  at,
  contractUsed,
  decided,
  expired,
  ids,
  opened,
  openedContract,
  openedWithdrawal,
  operationId,
  settledActions,
  terms,
} from './approval-facts';

type Event = ConversationEvent | OperationEvent | AutomationEvent;

const actors = {
  service: { kind: 'service', id: 'engine' },
  user: { kind: 'user', id: ids.userId, partnerKeyId: 'key-1' },
} as const satisfies Record<string, Actor>;

/** Builds stored events, each following the previous one in its stream. */
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

  inAutomation(...events: readonly AutomationEvent[]): this {
    for (const event of events) {
      const by = event.type === 'approval.decided' ? 'user' : 'service';
      this.add(automationKind, `automation-${ids.automationId}`, event, by);
    }
    return this;
  }

  inOperation(id: string, ...events: readonly OperationEvent[]): this {
    for (const event of events) {
      this.add(operationKind, `operation-${id}`, event, event.type === 'approval.decided' ? 'user' : 'service');
    }
    return this;
  }

  /** Adds the copy of the operation so far to the conversation. */
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
    kind: typeof conversationKind | typeof operationKind | typeof automationKind,
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
    // As the store returns it.
    const { payload, metadata } = JSON.parse(
      JSON.stringify({ payload: encoded.data, metadata: encoded.metadata }),
    ) as Pick<StoredEvent, 'payload' | 'metadata'>;
    const position = this.events.length + 1;
    this.events.push({ stream, revision, position, id: encoded.id, type: encoded.type, payload, metadata });
    return this;
  }
}

/** The event's stored bytes. */
export function bytesOf({ stream, revision, id, type, payload, metadata }: StoredEvent): EventBytes {
  return { stream, revision, id, type, data: utf8(JSON.stringify(payload)), metadata: utf8(JSON.stringify(metadata)) };
}

/** The event as version 1 or 2 stored it if it is a submission, without a worth; other events unchanged. */
export function withoutWorth(version: 1 | 2, stored: StoredEvent): StoredEvent {
  if (stored.type !== 'submission.journaled') return stored;
  const { v: _, private: secret, ...metadata } = stored.metadata;
  const [payload, hidden] = [stored.payload, secret ?? {}].map((members) => {
    const { worthUsd: __, ...others } = members;
    return others;
  });
  const kept = secret === undefined ? {} : { private: hidden };
  return {
    ...stored,
    payload: payload ?? {},
    metadata: { ...metadata, ...kept, ...(version === 1 ? {} : { v: 2 }) } as StoredEvent['metadata'],
  };
}

/** The reviewed bytes of a receipt, as a text. */
export function canonicalIn({ review: { canonical } }: Receipt): string {
  if (typeof canonical !== 'string') throw new Error('the reviewed bytes are erased');
  return Buffer.from(canonical, 'base64').toString('utf8');
}

/** The receipt of these events, as a client gets it; without a proof. */
export function received(events: readonly StoredEvent[]): Receipt {
  return JSON.parse(JSON.stringify(receiptOf(events.map(bytesOf), null))) as Receipt;
}

/** An agent's call that the contract covered, from the contract's approval to the call's. */
export function covered(
  authority: readonly AutomationEvent[] = [
    openedContract(),
    { ...decided('approved', 30), approvalId: ids.contractApprovalId, runKey: null },
    contractUsed(),
  ],
): History {
  return History.begin()
    .inAutomation(...authority)
    .inConversation({ ...opened(), at: at(50), automationId: ids.automationId })
    .inConversation({ ...decided('approved', 50), decidedBy: 'automation_contract' });
}

/** The histories that an approval can have. */
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
  covered: (): History =>
    covered()
      .inOperation(
        operationId,
        { type: 'operation.used', at: at(70), ...terms({ automationId: ids.automationId }) },
        ...settledActions(operationId),
      )
      .copied('operation.submitted')
      .copied('settlement.updated'),
  contract: (): History =>
    History.begin().inAutomation(openedContract(), {
      ...decided('approved', 30),
      approvalId: ids.contractApprovalId,
      runKey: null,
    }),
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
