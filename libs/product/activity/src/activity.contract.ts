import { operation, type OperationGroup } from '@app/http';
import { ActivityDto } from './activity.dto';
import { ActivityOverview } from './activity.view';

export const activityGroup: OperationGroup = {
  name: 'activity',
  description: 'What is going on, and what happened, over all conversations',
};

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

export const readActivity = operation('activity', {
  route: 'GET /v1/users/:userId/activity',
  summary: 'Active work, recent conversations, and every milestone',
  description:
    '`active` and `recent` are first pages of `conversations.list`: their cursors continue `?active=true` and `?origin=conversation` there. ' +
    '`history` is paged by `cursor` here; a milestone never moves, so pages repeat and lose none.',
  query: ActivityDto,
  answer: ActivityOverview,
  examples: { answer: example },
});
