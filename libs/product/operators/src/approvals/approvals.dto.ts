import { Member, PageQuery } from '@app/http';
import { oneOf, optional, uuid } from '@app/schema';
import { approvalFilters, type OperatedApprovalFilter } from './approvals.schema';

export class ListOperatedApprovalsDto extends PageQuery {
  @Member(uuid({ description: 'Of this user', examples: ['5d1f3a52-6a5e-5b0c-9a5e-0f3c2b7d9e11'] }))
  readonly user: string;

  @Member(optional(oneOf(approvalFilters, { description: '`all` when absent' })))
  readonly status?: OperatedApprovalFilter;
}
