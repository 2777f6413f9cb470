import { approvalDeciders } from '@app/consent';
import type { Actor } from '@app/kernel';
import {
  constant,
  exactly,
  instant,
  integer,
  json,
  list,
  mapOf,
  nullable,
  oneOf,
  shape,
  text,
  uuid,
  variants,
  type Shaped,
} from '@app/schema';
import { FinancialOperation } from '@app/wallets';
import { Approval, fingerprintShape } from './approval.schema';

const base64 = (description: string) => text({ pattern: /^[A-Za-z0-9+/]*={0,2}$/, description });
const sha256 = (description: string) => text({ pattern: /^[0-9a-f]{64}$/, description });
const stream = text({ min: 1, description: 'The stream that the event is in' });
const revision = integer({ min: 0, description: 'Its place in the stream, from 0' });

const ActorShape = exactly<Actor>()(
  variants(
    [
      shape('UserActor', {
        kind: constant('user'),
        id: text({ description: 'The account' }),
        partnerKeyId: text({ description: 'The partner key that the call came with' }),
      }),
      shape('OperatorActor', { kind: constant('operator'), id: text() }),
      shape('ServiceActor', { kind: constant('service'), id: text({ description: 'The part of the service' }) }),
    ],
    { by: 'kind' },
  ),
);

const ReceiptDecisionShape = shape('ReceiptDecision', {
  stream,
  revision,
  status: oneOf(['approved', 'denied']),
  decidedBy: oneOf(approvalDeciders),
  actor: ActorShape,
  at: instant(),
});
export type ReceiptDecision = Shaped<typeof ReceiptDecisionShape>;

const ReceiptEventShape = shape('ReceiptEvent', {
  stream,
  revision,
  id: uuid(),
  type: text({ min: 1 }),
  data: base64('The stored bytes of the event'),
  metadata: base64('The stored bytes of what stands beside it: who, why, and what is not public in a journal'),
  dataSha256: sha256('Of the bytes of `data`, in hex'),
  metadataSha256: sha256('Of the bytes of `metadata`, in hex'),
  leafSha256: sha256(
    'SHA-256 over the RFC 8785 form of `{stream, revision, id, type, dataSha256, metadataSha256}`: the leaf of the audit log',
  ),
});
export type ReceiptEvent = Shaped<typeof ReceiptEventShape>;

/**
 * What ties the reviewed bytes to the decision, the operation and its settlement (docs/decisions/approvals.md). All that it says
 * follows from `events`, the stored bytes themselves; `verifyReceipt` derives the same conclusions from them again.
 */
export const ReceiptShape = shape('Receipt', {
  v: constant(1),
  approval: Approval,
  review: shape('ReviewedBytes', {
    canonical: base64('The RFC 8785 form of what was reviewed: the bytes that `fingerprint` is the hash of'),
    fingerprint: fingerprintShape,
  }),
  decision: nullable(ReceiptDecisionShape, { description: 'Null while it is pending, and when it expired' }),
  events: list(ReceiptEventShape, {
    min: 1,
    description:
      'The opening, the decision or expiry, then all events of the operation, then their copies in the conversation; of a direct withdrawal, whose approval is among them, the events of the operation',
  }),
  operation: nullable(FinancialOperation, { description: 'Null as long as nothing was used' }),
  proof: nullable(mapOf(json()), {
    description: 'Inclusion proofs up to a signed checkpoint; null as long as the deployment keeps no audit log',
  }),
});

/** A receipt for an approval of any kind. */
export type Receipt = Shaped<typeof ReceiptShape>;
