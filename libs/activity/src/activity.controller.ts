import { Controller, Get, Query } from '@nestjs/common';
import type { ConversationPage } from '@app/conversations';
import { answer, Caller, Operation, type Page } from '@app/http';
import { ActivityDto } from './activity.dto';
import type { ActivityItem } from './activity.view';
import { ConversationPages } from './conversation-pages';
import { ReadHistory } from './read-history';

interface ActivityOverview {
  readonly active: ConversationPage;
  readonly recent: ConversationPage;
  readonly history: Page<ActivityItem>;
}

/** What a user's agent does, did lately, and ever did (specification, "Activity"). */
@Controller('/v1/users/:userId/activity')
export class ActivityController {
  constructor(
    private readonly conversations: ConversationPages,
    private readonly history: ReadHistory,
  ) {}

  @Get()
  @Operation('activity')
  async overview(@Caller() { userId }: Caller, @Query() query: ActivityDto): Promise<ActivityOverview> {
    const { origin, scope = 'all', cursor, limit, activeLimit, recentLimit } = query;
    const [history, active, recent] = await Promise.all([
      this.history.page(userId, { origin, scope }, { cursor, limit }),
      this.conversations.first(userId, 'active', activeLimit),
      this.conversations.first(userId, 'ordinary', recentLimit),
    ]);
    return { active, recent, history: answer(history) };
  }
}
