import { Controller, Get, Query } from '@nestjs/common';
import { answer, Caller, Operation } from '@app/http';
import { ActivityDto } from './activity.dto';
import { ActivityOverview, type ActivityOverviewView } from './activity.view';
import { ConversationPages } from './conversation-pages';
import { ReadHistory } from './read-history';

const idle = { data: [], nextCursor: null, total: 0 };
const example = {
  active: idle,
  recent: idle,
  history: {
    data: [
      {
        id: '019a9a3e-5f7c-7c31-9d0a-5d1f3a526a5e',
        at: '2026-11-21T10:15:00.000Z',
        kind: 'approval_opened',
        origin: 'operation',
        conversationId: null,
        runId: null,
        approvalId: '019a9a3e-5f7b-7a02-8c11-0f3c2b7d9e11',
        operationId: '019a9a3e-5f7a-7d44-b3c0-9a5e0f3c2b7d',
        automationId: null,
        title: 'Withdraw 2 USDC to your main account.',
      },
    ],
    nextCursor: null,
  },
};

/** What a user's agent does, did lately, and ever did (specification, "Activity"). */
@Controller('/v1/users/:userId/activity')
export class ActivityController {
  constructor(
    private readonly conversations: ConversationPages,
    private readonly history: ReadHistory,
  ) {}

  @Get()
  @Operation('activity', {
    summary: 'What is going on, what happened lately, and every milestone there ever was',
    description:
      '`active` and `recent` are first pages of `conversations.list`: their cursors continue `?active=true` and `?origin=conversation` there. ' +
      '`history` is paged by `cursor` here; a milestone never moves, so pages repeat and lose none.',
    answer: ActivityOverview,
    answerExample: example,
    reasons: [],
  })
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
