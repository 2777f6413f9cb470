import { Controller, Query } from '@nestjs/common';
import { answer, Caller, Serves } from '@app/http';
import { ActivityDto } from './activity.dto';
import { type ActivityOverviewView } from './activity.view';
import { ConversationPages } from './conversation-pages';
import { ReadHistory } from './read-history';
import { readActivity } from './activity.contract';

/** What a user's agent does, did lately, and ever did (specification, "Activity"). */
@Controller()
export class ActivityController {
  constructor(
    private readonly conversations: ConversationPages,
    private readonly history: ReadHistory,
  ) {}

  @Serves(readActivity)
  async overview(@Caller() { userId }: Caller, @Query() query: ActivityDto): Promise<ActivityOverviewView> {
    const { origin, scope = 'all', cursor, limit, activeLimit, recentLimit } = query;
    const [history, active, recent] = await Promise.all([
      this.history.page(userId, { origin, scope }, { cursor, limit }),
      this.conversations.first(userId, 'active', activeLimit),
      this.conversations.first(userId, 'ordinary', recentLimit),
    ]);
    return { active, recent, history: answer(history) };
  }
}
