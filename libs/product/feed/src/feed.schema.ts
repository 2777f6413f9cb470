import { limits, type JsonObject } from '@app/kernel';
import { noticeTypes, type NoticeData } from '@app/notices';
import { instant, integer, oneOf, optional, pageMembers, shape, text, uuid } from '@app/schema';

/** Maximum number of events in one page. */
export const feedLimitMax = 500;

/** The ids that the event concerns, as in thin bodies. */
const FeedEventData = shape(
  'FeedEventData',
  {
    userId: uuid({ description: 'Whose it is' }),
    conversationId: optional(uuid()),
    seq: optional(
      integer({ min: 1, max: limits.streamCursorMax, description: "Its place in the conversation's journal" }),
    ),
    runId: optional(uuid()),
    approvalId: optional(uuid()),
    operationId: optional(uuid()),
    automationId: optional(uuid()),
    occurrenceId: optional(uuid()),
    status: optional(text({ description: 'What has become of it, where the type alone does not say' })),
    expiresAt: optional(instant({ description: 'Until when a decision is asked for' })),
  },
  { description: 'Ids to look up. What does not apply is left out' },
);

/** An event of the feed: the thin body of a webhook, and its id. */
export const FeedEvent = shape(
  'FeedEvent',
  {
    id: uuid({ description: "The event's, and the `webhook-id` of every delivery of it" }),
    type: oneOf(noticeTypes),
    timestamp: instant({ description: 'When it happened' }),
    data: FeedEventData,
  },
  { description: 'An event for partners' },
);

/** A page of the feed. Reading can continue after the last page too, because the feed grows. */
export const FeedPageShape = shape('FeedPage', {
  ...pageMembers(FeedEvent, feedLimitMax),
  endCursor: text({
    max: limits.cursorLengthMax,
    description: 'Passed back as `cursor`, now or later, it goes on after this page; `feed.stream` takes it as well',
  }),
});

export const feedExample = {
  id: '019a3c5e-7d1c-7f00-8a4b-3f6b1c2d4e5f',
  type: 'approval.opened',
  timestamp: '2026-11-21T09:18:05.337Z',
  data: {
    userId: '5d1f3a52-6a5e-5b0c-9a5e-0f3c2b7d9e11',
    conversationId: '019a3c5a-1c2d-7e3f-8a4b-5c6d7e8f9a0b',
    seq: 6,
    runId: '019a3c5a-2b3c-7d4e-9f50-6a7b8c9d0e1f',
    approvalId: '019a3c5a-3c4d-7e5f-a061-7b8c9d0e1f2a',
    expiresAt: '2026-11-21T09:33:05.337Z',
  } satisfies Partial<Record<keyof NoticeData, string | number>>,
} satisfies JsonObject;
