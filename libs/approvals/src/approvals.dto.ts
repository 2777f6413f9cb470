import { CursorText, IntegerText, OneOf, Optional, text, Text, Value } from '@app/http';
import { limits } from '@app/kernel';
import type { ApprovalFilter } from './approvals.queries';

const denialReasonLengthMax = 1_024;
const isText = (value: unknown) => typeof value === 'string';

export class ListApprovalsDto {
  @Optional()
  @CursorText()
  cursor?: string;

  @IntegerText({ min: 1, max: limits.listLimitMax, default: limits.listLimitDefault })
  limit: number;

  @Optional()
  @OneOf(['pending', 'approved', 'denied', 'expired', 'all'])
  status?: ApprovalFilter;
}

export class ApproveDto {
  // Whatever its length, one that is not the approval's own is refused.
  @Value('a text', isText, text())
  fingerprint: string;
}

export class DenyDto {
  @Optional()
  @Text({ max: denialReasonLengthMax })
  reason?: string;
}
