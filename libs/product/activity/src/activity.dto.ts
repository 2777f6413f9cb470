import { CursorText, Describe, IntegerText, OneOf, Optional } from '@app/http';
import { historyLimitMax, milestoneOrigins, type MilestoneOrigin } from './activity.view';

/** The query of `activity` (specification, "Activity"). */
export class ActivityDto {
  @Optional()
  @Describe('The `nextCursor` of the history page before; it acts on `history` alone')
  @CursorText()
  cursor?: string;

  @Describe('Milestones in a page of `history`')
  @IntegerText({ min: 1, max: historyLimitMax, default: 20 })
  limit: number;

  @Optional()
  @Describe(
    'Only milestones of ordinary chats, of what automations began, or of direct financial requests; every origin when absent',
  )
  @OneOf(milestoneOrigins)
  origin?: MilestoneOrigin;

  @Optional()
  @Describe('`actions`: only approvals, financial results, firings and the runs of automations; `all` when absent')
  @OneOf(['all', 'actions'])
  scope?: 'all' | 'actions';

  @Describe('Conversations in `active`')
  @IntegerText({ min: 1, max: 20, default: 8 })
  activeLimit: number;

  @Describe('Conversations in `recent`')
  @IntegerText({ min: 1, max: 12, default: 6 })
  recentLimit: number;
}
