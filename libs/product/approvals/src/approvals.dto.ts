import { CursorText, Describe, IntegerText, OneOf, Optional, Text, Value } from '@app/http';
import { limits } from '@app/kernel';
import { text } from '@app/schema';
import { denialReasonLengthMax } from './approval.schema';
import { approvalFilters, type ApprovalFilter } from './approvals.queries';

const isText = (value: unknown) => typeof value === 'string';

export class ListApprovalsDto {
  @Optional()
  @CursorText()
  cursor?: string;

  @Describe('Items in a page at most')
  @IntegerText({ min: 1, max: limits.listLimitMax, default: limits.listLimitDefault })
  limit: number;

  @Describe('`pending` when absent')
  @Optional()
  @OneOf(approvalFilters)
  status?: ApprovalFilter;
}

export class ApproveDto {
  // Whatever its length, one that is not the approval's own is refused.
  @Describe("The approval's own, as it was shown; any other is `invalid_input`, and nothing is recorded")
  @Value('a text', isText, text())
  fingerprint: string;
}

export class DenyDto {
  @Describe('Kept with the decision, and told to the model as the reason of the denial')
  @Optional()
  @Text({ max: denialReasonLengthMax })
  reason?: string;
}
