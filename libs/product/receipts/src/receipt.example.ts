import type { ApprovalEvent } from '@app/consent';
import { encodeEvent } from '@app/event-store';
import { asId, type Actor, type Instant, type RequestId } from '@app/kernel';
import { checkpointText, entryBytes, leafHash, rootOver, toBase64, utf8 } from '@app/transparency';
import { operationKind, reviewExample, withdrawalExamples, type OperationEvent } from '@app/wallets';
import { receiptOf } from './receipt';
import { entryOf, receiptEvent } from './receipt-bytes';
import type { EventBytes } from './parts/receipt-source';
import type { ReceiptProof } from './receipt.schema';

const { prepared, operation, asked } = withdrawalExamples;
const { approvalId, userId, walletId, contract, expiresAt, kind, tool } = reviewExample;
const { summary, terms, fingerprintVersion } = reviewExample;

const at = asId<Instant>;
const openedAt = at(operation.createdAt);
const confirmedAt = at('2026-11-21T09:19:24.117Z');
const sentAt = at('2026-11-21T09:19:24.205Z');
const settledAt = at(operation.updatedAt);

const ofNoRun = { runId: null, runKey: null, toolCallId: null, automationId: null };

const opened: Extract<ApprovalEvent, { readonly type: 'approval.opened' }> = {
  type: 'approval.opened',
  at: openedAt,
  approvalId,
  kind,
  tool,
  fingerprint: prepared.fingerprint,
  expiresAt,
  ...ofNoRun,
  userId,
  walletId,
  input: asked,
  contract,
  summary,
  terms,
  fingerprintVersion,
};

/** All events of the withdrawal of the examples. */
const events: readonly OperationEvent[] = [
  {
    type: 'operation.prepared',
    at: openedAt,
    kind: 'withdrawal',
    userId,
    walletId,
    approvalId,
    contract,
    decidedBy: 'user',
    conversationId: null,
    runId: null,
    automationId: null,
    mainAccountId: prepared.mainAccountId,
    expiresAt,
  },
  opened,
  {
    type: 'approval.decided',
    at: confirmedAt,
    approvalId,
    status: 'approved',
    decidedBy: 'user',
    denialReason: null,
    runKey: null,
  },
  { type: 'operation.confirmed', at: confirmedAt },
  {
    type: 'submission.journaled',
    at: sentAt,
    index: 0,
    submission: {
      key: `${operation.id}/0/1`,
      attempt: 1,
      bytes: '{"signed":"…"}',
      input: asked,
      output: asked,
      leastOutput: null,
      quote: null,
      deadline: expiresAt,
    },
    worthUsd: '25',
  },
  {
    type: 'submission.accepted',
    at: at('2026-11-21T09:19:24.260Z'),
    index: 0,
    providerReference: operation.actions[0]?.providerReference ?? '',
  },
  { type: 'action.settled', at: settledAt, index: 0, output: asked, returned: null },
  { type: 'operation.settled', at: settledAt },
];

const user: Actor = { kind: 'user', id: userId, partnerKeyId: '019a3c00-0a1b-7c2d-8e3f-405162738495' };
const service: Actor = { kind: 'service', id: 'wallets' };
const requestId = asId<RequestId>('019a3c62-4f1b-7a00-9d21-7c6b5a4f3e2d');

/** Returns an event as stored, with an id that is the same each time the reference is generated. */
function storedBytes(event: OperationEvent, revision: number): EventBytes {
  const cause = { requestId, correlationId: requestId, causationId: requestId };
  const { data, metadata } = encodeEvent(operationKind, event, { ...cause, actor: revision < 4 ? user : service });
  return {
    stream: `operation-${operation.id}`,
    revision,
    type: event.type,
    id: `019a3c62-4f1e-7000-8000-00000000000${revision}`,
    data: utf8(JSON.stringify(data)),
    metadata: utf8(JSON.stringify(metadata)),
  };
}

/** The log of the examples: it has these events and nothing else. */
export const exampleLog = { origin: 'parley/019a3c5e-0000-7000-8000-0a1b2c3d4e5f', seed: new Uint8Array(32).fill(7) };

/** Made by the key of that seed; a spec makes it again. */
const exampleSignature = 'L41GjWwybxwCR/a35qcsQFQzVgMoP22GfdZb4WNRTfxflrqwyjNkJVheWWXfb0e3weOJHPLYcKca/MHCMfmY5RN4KgU=';

/** Proves for each of eight leaves that it is in the tree of them all. */
function exampleProof(stored: readonly EventBytes[]): ReceiptProof {
  const leaves = stored.map((event) => leafHash(entryBytes(entryOf(receiptEvent(event)))));
  const text = checkpointText({ origin: exampleLog.origin, size: leaves.length, root: rootOver(leaves) });
  const siblings = (index: number) =>
    [1, 2, 4].map((width) => {
      const first = (Math.floor(index / width) ^ 1) * width;
      return toBase64(rootOver(leaves.slice(first, first + width)));
    });
  return {
    checkpoint: `${text}\n\u2014 ${exampleLog.origin} ${exampleSignature}\n`,
    inclusions: leaves.map((_, index) => ({ index, path: siblings(index) })),
    complete: true,
  };
}

const stored = events.map(storedBytes);

/** The receipt of a direct withdrawal: `verifyReceipt` finds nothing wrong with it. */
export const receiptExample = receiptOf(stored, exampleProof(stored));
