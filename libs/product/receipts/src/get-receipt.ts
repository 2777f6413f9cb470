import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { SelectedApprovals } from '@app/approvals';
import { EventProofs, type LogProofs } from '@app/audit';
import { notFound, ok, refuse, type ApprovalId, type Result, type UserId } from '@app/kernel';
import { toBase64 } from '@app/transparency';
import { receiptOf } from './receipt';
import { ReceiptEvents } from './receipt-events';
import type { Receipt, ReceiptProof } from './receipt.schema';
import { RevealedWords } from './revealed-words';

/** How long a receipt waits for a checkpoint that covers its events. */
const proofWithinMs = 2_000;

/**
 * The receipt of an approval as of now, from the events in their streams, found by the read models; refuses with `not_found`. @throws
 * Unavailable when a store is away
 */
export class GetReceipt extends Query<Result<Receipt>> {
  constructor(
    readonly userId: UserId,
    readonly approvalId: ApprovalId,
  ) {
    super();
  }
}

@QueryHandler(GetReceipt)
export class GetReceiptHandler implements IQueryHandler<GetReceipt> {
  constructor(
    private readonly approvals: SelectedApprovals,
    private readonly events: ReceiptEvents,
    private readonly words: RevealedWords,
    private readonly proofs: EventProofs,
  ) {}

  async execute({ userId, approvalId }: GetReceipt): Promise<Result<Receipt>> {
    const approval = await this.approvals.findAsOfNow(userId, approvalId);
    if (approval === null) return refuse(notFound);
    const events = await this.events.of(approval);
    const [sources, proofs] = await Promise.all([this.words.of(events), this.proofs.prove(events, proofWithinMs)]);
    return ok(receiptOf(sources, proofOf(proofs)));
  }
}

function proofOf({ checkpoint, inclusions }: LogProofs): ReceiptProof {
  return {
    checkpoint,
    inclusions: inclusions.map((one) => one && { index: one.index, path: one.path.map(toBase64) }),
    complete: inclusions.every((one) => one !== null),
  };
}
