import { cursor, Member, QueryMember } from '@app/http';
import { integer, oneOf, optional } from '@app/schema';
import { historyLimitMax, milestoneOrigins, type MilestoneOrigin } from './activity.view';

/** The query of `activity` (specification, "Activity"). */
export class ActivityDto {
  @Member(cursor('The `nextCursor` of the history page before; it acts on `history` alone'))
  cursor?: string;

  @QueryMember(integer({ min: 1, max: historyLimitMax, default: 20, description: 'Milestones in a page of `history`' }))
  limit: number;

  @Member(
    optional(
      oneOf(milestoneOrigins, {
        description:
          'Only milestones of ordinary chats, of what automations began, or of direct financial requests; every origin when absent',
      }),
    ),
  )
  origin?: MilestoneOrigin;

  @Member(
    optional(
      oneOf(['all', 'actions'], {
        description:
          '`actions`: only approvals, financial results, firings and the runs of automations; `all` when absent',
      }),
    ),
  )
  scope?: 'all' | 'actions';

  @QueryMember(integer({ min: 1, max: 20, default: 8, description: 'Conversations in `active`' }))
  activeLimit: number;

  @QueryMember(integer({ min: 1, max: 12, default: 6, description: 'Conversations in `recent`' }))
  recentLimit: number;
}
