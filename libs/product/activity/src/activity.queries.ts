import { Injectable } from '@nestjs/common';
import type { UserId } from '@app/kernel';
import { Database, selectList } from '@app/read-store';
import { memberNames } from '@app/schema';
import { ActivityRow } from './activity.projection';
import { ConversationActivityItem, milestoneOrigins, type ActivityItem, type MilestoneOrigin } from './activity.view';

export interface HistoryFilter {
  /** Every origin when absent. */
  readonly origin?: MilestoneOrigin | undefined;
  readonly scope: 'all' | 'actions';
}

/** A milestone with the key that history is sorted by. */
export type ListedItem = ActivityItem & { readonly milestonePosition: number };

const listed = selectList(ActivityRow, [...memberNames(ConversationActivityItem), 'milestonePosition'], {
  table: 'item',
});

/** What is read of the milestones in PostgreSQL. */
@Injectable()
export class ActivityQueries {
  constructor(private readonly database: Database) {}

  /**
   * Milestones of a user, newest first, strictly before a sort key. Each origin and scope is a range of the index, in order: a page
   * takes the newest of each range that it wants and merges them, so it costs what it shows, whatever the filter leaves out.
   */
  async history(
    userId: UserId,
    { origin, scope }: HistoryFilter,
    before: number | null,
    limit: number,
  ): Promise<ListedItem[]> {
    const origins = origin === undefined ? milestoneOrigins : [origin];
    return this.database.query<ListedItem>(
      `SELECT ${listed}
       FROM unnest($2::text[]) AS origins (origin)
       CROSS JOIN unnest($3::boolean[]) AS actions (is_action)
       CROSS JOIN LATERAL (
         SELECT * FROM activity
         WHERE user_id = $1 AND origin = origins.origin AND is_action = actions.is_action AND milestone_position < $4
         ORDER BY milestone_position DESC LIMIT $5) AS item
       ORDER BY item.milestone_position DESC LIMIT $5`,
      [userId, origins, scope === 'all' ? [true, false] : [true], before ?? Number.MAX_SAFE_INTEGER, limit],
      'activity.history',
    );
  }
}
