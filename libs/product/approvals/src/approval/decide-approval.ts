import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ApprovalHomes, type ApprovalVerdict } from '@app/consent';
import { asId, invalid, notFound, ok, refuse } from '@app/kernel';
import type { ApprovalId, Cause, Result, UserId } from '@app/kernel';
import type { Decided } from './approval.schema';
import { SelectedApprovals } from './approval.queries';

/** A user approves exactly what was reviewed, as identified by its fingerprint. */
export type UserDecision =
  | { readonly status: 'approved'; readonly fingerprint: string }
  | Extract<ApprovalVerdict, { readonly status: 'denied' }>;

/**
 * Records the user's decision on an approval, by the home of the stream that holds it (docs/decisions/approvals.md). Refuses with
 * `not_found`, with `invalid_input` at `/fingerprint` unless that is the approval's, and as the home does: a withdrawal is confirmed, never
 * approved here. @throws Unavailable when a store is away; the client must then read what was recorded
 */
export class DecideApproval extends Command<Result<Decided>> {
  constructor(
    readonly given: {
      readonly userId: UserId;
      readonly approvalId: ApprovalId;
      readonly decision: UserDecision;
      readonly cause: Cause;
    },
  ) {
    super();
  }
}

@CommandHandler(DecideApproval)
export class DecideApprovalHandler implements ICommandHandler<DecideApproval> {
  constructor(
    private readonly approvals: SelectedApprovals,
    private readonly homes: ApprovalHomes,
  ) {}

  async execute({ given: { userId, approvalId, decision, cause } }: DecideApproval): Promise<Result<Decided>> {
    const approval = await this.approvals.find(userId, approvalId);
    if (approval === null) return refuse(notFound);
    if (decision.status === 'approved' && decision.fingerprint !== approval.fingerprint)
      return refuse(invalid('/fingerprint', "is not the approval's"));
    const { home, streamId } = this.homes.of(approval.stream);
    const verdict = decision.status === 'approved' ? ({ status: 'approved' } as const) : decision;
    const decided = await home.decide({ approvalId: asId<ApprovalId>(approval.id), streamId }, verdict, cause);
    return decided.ok ? ok({ decided: true }) : decided;
  }
}
