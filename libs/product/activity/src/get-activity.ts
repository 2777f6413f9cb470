import { Query, QueryBus, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { ListConversations } from '@app/conversations';
import { Cursors, pageOf } from '@app/http';
import { ok, type Result, type UserId } from '@app/kernel';
import { Database, selectList } from '@app/read-store';
import { memberNames, type Page } from '@app/schema';
import { KeyRing, openMembers, type Opened } from '@app/sealing';
import { ActivityDto } from './activity.dto';
import { ActivityRow } from './activity.projection';
import { ConversationActivityItem, milestoneOrigins } from './activity.view';
import type { ActivityItem, ActivityOverviewView } from './activity.view';
import { titleText } from './milestone-titles';

/**
 * A user's present, recent and past activity. `active` and `recent` are first pages of `conversations.list`; `history`
 * has the milestones, newest first. A milestone never moves, so a client that pages meanwhile sees none twice and
 * misses none.
 * Refuses with `invalid_cursor` where the cursor is of another list, filter or user.
 */
export class GetActivity extends Query<Result<ActivityOverviewView>> {
  constructor(
    readonly userId: UserId,
    readonly query: ActivityDto,
  ) {
    super();
  }
}

const titleParts = ['titleSentence', 'titleForm', 'titleOtherwise', 'titleOutcome'] as const;

const listed = selectList(ActivityRow, [...memberNames(ConversationActivityItem), ...titleParts, 'milestonePosition'], {
  table: 'item',
});

type Listed = Omit<ActivityItem, 'title'> &
  Pick<ActivityRow, 'title' | (typeof titleParts)[number]> & { readonly milestonePosition: number };

@QueryHandler(GetActivity)
export class GetActivityHandler implements IQueryHandler<GetActivity> {
  constructor(
    private readonly queries: QueryBus,
    private readonly database: Database,
    private readonly keys: KeyRing,
    private readonly cursors: Cursors,
  ) {}

  async execute({ userId, query }: GetActivity): Promise<Result<ActivityOverviewView>> {
    const { activeLimit, recentLimit } = query;
    const ofActive = { archived: false, active: true, limit: activeLimit };
    const ofRecent = { archived: false, origin: 'conversation', limit: recentLimit } as const;
    const [history, active, recent] = await Promise.all([
      this.history(userId, query),
      this.queries.execute(new ListConversations(userId, ofActive)),
      this.queries.execute(new ListConversations(userId, ofRecent)),
    ]);
    if (!history.ok) return history;
    if (!active.ok) return active;
    if (!recent.ok) return recent;
    return ok({ active: active.value, recent: recent.value, history: history.value });
  }

  private async history(userId: UserId, query: ActivityDto): Promise<Result<Page<ActivityItem>>> {
    const { origin, scope = 'all', cursor, limit } = query;
    const binding = { list: 'activity', userId, filters: { origin: origin ?? null, scope } };
    const before = this.cursors.startOf(binding, cursor);
    if (!before.ok) return before;
    const items = await this.items(userId, query, before.value, limit + 1);
    return ok(
      pageOf(
        items,
        limit,
        ({ milestonePosition: _, ...item }) => item,
        ({ milestonePosition }) => this.cursors.mint(binding, [milestonePosition]),
      ),
    );
  }

  /**
   * Milestones strictly before a sort key. Each origin and scope is a range of the index, in order: a page merges the
   * newest of each range, so its cost depends on the page's size, not on how many milestones the filter excludes.
   */
  private async items(userId: UserId, { origin, scope }: ActivityDto, before: number | null, limit: number) {
    const origins = origin === undefined ? milestoneOrigins : [origin];
    const rows = await this.database.query<Listed>(
      `SELECT ${listed}
       FROM unnest($2::text[]) AS origins (origin)
       CROSS JOIN unnest($3::boolean[]) AS actions (is_action)
       CROSS JOIN LATERAL (
         SELECT * FROM {activity}
         WHERE user_id = $1 AND origin = origins.origin AND is_action = actions.is_action AND milestone_position < $4
         ORDER BY milestone_position DESC LIMIT $5) AS item
       ORDER BY item.milestone_position DESC LIMIT $5`,
      [userId, origins, scope === 'actions' ? [true] : [true, false], before ?? Number.MAX_SAFE_INTEGER, limit],
      'activity.history',
    );
    return (await openMembers(this.keys, rows, ['title', 'titleSentence'])).map(itemOf);
  }
}

type OpenedItem = Opened<Listed, 'title' | 'titleSentence'>;

function itemOf({ title, titleSentence, titleForm, titleOtherwise, titleOutcome, ...item }: OpenedItem) {
  const source = {
    words: title,
    sentence: titleSentence,
    form: titleForm,
    otherwise: titleOtherwise,
    outcome: titleOutcome,
  };
  return { ...item, title: titleText(source) };
}
