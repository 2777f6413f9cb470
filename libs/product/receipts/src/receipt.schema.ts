import { Approval, fingerprintShape } from '@app/approvals';
import { approvalDeciders } from '@app/consent';
import type { Actor } from '@app/kernel';
import {
  optional,
  orErased,
  constant,
  exactly,
  boolean,
  instant,
  integer,
  list,
  nullable,
  oneOf,
  shape,
  text,
  uuid,
  variants,
  type Shaped,
} from '@app/schema';
import { FinancialOperation } from '@app/wallets';

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

const ReceiptRevealedShape = shape('ReceiptRevealed', {
  member: text({ min: 1, description: 'A member that `metadata.sealed` names' }),
  value: base64('The exact bytes of its JSON'),
  key: base64(
    '32 bytes. HMAC-SHA256 over the bytes of `value` under this key is the commitment in the sealed text; the key opens nothing',
  ),
});

const ReceiptEventShape = shape('ReceiptEvent', {
  stream,
  revision,
  id: uuid(),
  type: text({ min: 1 }),
  data: base64('The stored bytes of the event'),
  metadata: base64('The stored bytes of its metadata: who, why, and what is not public in a journal'),
  dataSha256: sha256('Of the bytes of `data`, in hex'),
  metadataSha256: sha256('Of the bytes of `metadata`, in hex'),
  leafSha256: sha256(
    'SHA-256 over the RFC 8785 form of `{stream, revision, id, type, dataSha256, metadataSha256}`: it names the entry of the log. The leaf hash of RFC 6962, which `path` begins at, is over the same bytes with a 0 byte in front',
  ),
  revealed: optional(
    list(ReceiptRevealedShape, {
      description:
        "What was sealed in the stored bytes: a person's words. Absent for an event without sealed members, and empty once the words are erased",
    }),
  ),
});
export type ReceiptEvent = Shaped<typeof ReceiptEventShape>;

const ReceiptAuthorityShape = shape('ReceiptAuthority', {
  approval: Approval,
  decision: nullable(ReceiptDecisionShape),
  use: nullable(
    shape('ReceiptContractUse', {
      stream,
      revision,
      at: instant(),
      usd: text({ min: 1, description: "The worth of the call in US dollars, at that instant's prices" }),
    }),
    { description: 'The use of the contract, recorded before the call was approved' },
  ),
});

const InclusionShape = shape('ReceiptInclusion', {
  index: integer({ min: 0, description: 'Which leaf of the log the event is, from 0' }),
  path: list(base64('A hash of 32 bytes'), { description: 'From the sibling of the leaf up to the root' }),
});

const ReceiptProofShape = shape('ReceiptProof', {
  checkpoint: nullable(text({ min: 1 }), {
    description:
      "A signed note: the log's checkpoint, with the signature of the log and those of its witnesses, as `GET /transparency/checkpoint` serves it. Null while there is none",
  }),
  inclusions: list(nullable(InclusionShape), {
    description:
      'For each of `events`, in their order: its place in the log, and the path to the root that the checkpoint names. Null for an event that the checkpoint does not cover yet',
  }),
  complete: boolean({
    description:
      'Whether every event is proven. False: a checkpoint over all of them did not come within 2 s; ask again later',
  }),
});
export type ReceiptProof = Shaped<typeof ReceiptProofShape>;

/**
 * Connects the reviewed bytes with the decision, the operation and its settlement (docs/decisions/approvals.md). All of it follows from
 * `events`, the stored bytes themselves; `verifyReceipt` derives the same conclusions from them again.
 */
export const ReceiptShape = shape('Receipt', {
  v: constant(1),
  approval: Approval,
  review: shape('ReviewedBytes', {
    canonical: orErased(base64('The RFC 8785 form of what was reviewed: the bytes that `fingerprint` is the hash of')),
    fingerprint: fingerprintShape,
  }),
  decision: nullable(ReceiptDecisionShape, { description: 'Null while it is pending, and when it expired' }),
  authority: nullable(ReceiptAuthorityShape, {
    description:
      'What a call was covered by: the approved contract of its automation, and the use of it. Null for a call that was asked for',
  }),
  events: list(ReceiptEventShape, {
    min: 1,
    description:
      "The opening, the decision or expiry, then all events of the operation, then their copies in the conversation; of a direct withdrawal, whose approval is among them, the events of the operation. Before them, for a covered call, the opening and the decision of its automation's contract, and the use of it",
  }),
  operation: nullable(FinancialOperation, { description: 'Null as long as nothing was used' }),
  proof: nullable(ReceiptProofShape, {
    description: 'That these events are in the log of all events. Null in receipts from before there was one',
  }),
});

/** A receipt for an approval of any kind. */
export type Receipt = Shaped<typeof ReceiptShape>;
