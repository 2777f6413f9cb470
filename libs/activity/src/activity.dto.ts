import { CursorText, IntegerText, OneOf, Optional } from '@app/http';
import { milestoneOrigins, type MilestoneOrigin } from './activity.view';

export const historyLimitMax = 50;

/** The query of `activity` (specification, "Activity"). */
export class ActivityDto {
  @Optional()
  @CursorText()
  cursor?: string;

  @IntegerText({ min: 1, max: historyLimitMax, default: 20 })
  limit: number;

  @Optional()
  @OneOf(milestoneOrigins)
  origin?: MilestoneOrigin;

  @Optional()
  @OneOf(['all', 'actions'])
  scope?: 'all' | 'actions';

  @IntegerText({ min: 1, max: 20, default: 8 })
  activeLimit: number;

  @IntegerText({ min: 1, max: 12, default: 6 })
  recentLimit: number;
}
