import { approvalStatuses } from '@app/consent';
import { cursor, Member, pageLimit, QueryMember } from '@app/http';
import { oneOf, optional, text } from '@app/schema';
import { denialReasonLengthMax } from './approval.schema';

const approvalFilters = [...approvalStatuses, 'all'] as const;
export type ApprovalFilter = (typeof approvalFilters)[number];

export class ListApprovalsDto {
  @Member(cursor())
  cursor?: string;

  @QueryMember(pageLimit({ description: 'Items in a page at most' }))
  limit: number;

  @Member(optional(oneOf(approvalFilters, { description: '`pending` when absent' })))
  status?: ApprovalFilter;
}

export class ApproveDto {
  // No bound of length here, because a fingerprint other than the approval's own is refused anyway.
  @Member(
    text({
      description: "The approval's own, as it was shown; any other is `invalid_input`, and nothing is recorded",
    }),
  )
  fingerprint: string;
}

export class DenyDto {
  @Member(
    optional(
      text({
        min: 0,
        max: denialReasonLengthMax,
        description: 'Kept with the decision, and sent to the model as the reason of the denial',
      }),
    ),
  )
  reason?: string;
}
