import { automationKind, type AutomationEvent } from '@app/automations';
import { conversationKind, type ConversationEvent } from '@app/conversations';
import { decodeEvent, type DomainEvent, type StoredEvent, type StreamKind } from '@app/event-store';
import { asId, type JsonObject } from '@app/kernel';
import { instant } from '@app/testing/deciders';
import { noticeBody } from './notice';
import { isNoticeSource, noticeOf, type NoticeSource } from './notice-of';
import { subjectOf } from './notices';

const userId = '0190a000-0000-7000-8000-00000000ada0';
const id = (last: string) => `0190a000-0000-7000-8000-0000000000${last}`;
const [conversation, operation, automation] = [id('c1'), id('01'), id('a1')];
const at = instant('2026-03-01T10:00:00Z');
type AnyKind = Pick<
  StreamKind<unknown, never, DomainEvent & NoticeSource>,
  'category' | 'privateMembers' | 'upcasters'
>;

/** An event in its stored form. */
function stored(stream: string, type: string, payload: JsonObject, secret: JsonObject = {}): StoredEvent {
  const metadata = { v: 9, private: secret } as unknown as StoredEvent['metadata']; // of its metadata, only `private` is read
  return { stream, revision: 6, position: 40, id: id('e1'), type, payload: { type, at, ...payload }, metadata };
}

const begins = {
  conversation: stored(
    `conversation-${conversation}`,
    'conversation.created',
    { title: null, origin: 'automation', automationId: automation },
    { userId },
  ),
  operation: stored(`operation-${operation}`, 'operation.prepared', {
    userId,
    automationId: null,
    conversationId: null,
  }),
  automation: stored(`automation-${automation}`, 'automation.created', { userId }),
};

function told(kind: AnyKind, first: StoredEvent, event: StoredEvent) {
  const subject = subjectOf(first);
  if (subject === null) throw new Error('the stream is nobody’s');
  return noticeOf(decodeEvent(kind, event), subject);
}

const inConversation = (type: ConversationEvent['type'], payload: JsonObject, secret: JsonObject = {}) =>
  told(
    conversationKind, // reads events alone
    begins.conversation,
    stored(begins.conversation.stream, type, payload, secret),
  );
const inAutomation = (type: AutomationEvent['type'], payload: JsonObject) =>
  told(
    automationKind, // reads events alone
    begins.automation,
    stored(begins.automation.stream, type, payload),
  );

it('an event of a conversation is told with its place in the journal, and with nothing that is private', () => {
  const notice = inConversation(
    'run.ended',
    { runId: id('b1'), status: 'completed', response: { text: 'Done.', truncated: false } },
    { runKey: 'k', userId, segment: 1, segmentCostCents: 3 },
  );
  if (notice === null) throw new Error('it is told');
  expect(notice).toMatchObject({ id: id('e1'), stream: begins.conversation.stream, revision: 6, position: 40 });
  const data = {
    userId,
    conversationId: conversation,
    seq: 7,
    automationId: automation,
    runId: id('b1'),
    status: 'completed',
  };
  expect(noticeBody(notice, 'thin')).toEqual({ type: 'run.ended', timestamp: at, data });
  const payload = { type: 'run.ended', at, runId: id('b1'), status: 'completed' };
  expect(noticeBody(notice, 'full')).toEqual({
    type: 'run.ended',
    timestamp: at,
    data: { ...data, payload: { ...payload, response: { text: 'Done.', truncated: false } } },
  });
});

it('what does not apply is left out', () => {
  const { data } = inConversation('operation.submitted', {
    operationId: operation,
    runId: null,
    approvalId: id('d1'),
  })!; // it has a notice
  expect(data).toEqual({
    userId,
    conversationId: conversation,
    seq: 7,
    automationId: automation,
    operationId: operation,
    approvalId: id('d1'),
  });
});

it('an approval says until when it can be decided, without what was reviewed', () => {
  const opened = { approvalId: id('d1'), kind: 'agent_tool', tool: 'x', fingerprint: 'f', runId: null, expiresAt: at };
  const notice = inConversation('approval.opened', opened, { userId, input: { secret: 1 }, summary: 'Withdraw.' });
  expect(notice?.data).toMatchObject({ approvalId: id('d1'), expiresAt: at });
  expect(notice?.payload).toEqual({ type: 'approval.opened', at, ...opened });
});

it('what an automation does by itself is told under the name of what it means to a partner', () => {
  const rejected = inAutomation('occurrence.rejected', { occurrenceId: id('f1'), reason: 'too late' });
  expect(rejected).toMatchObject({
    type: 'automation.rejected',
    data: { userId, automationId: automation, occurrenceId: id('f1') },
    payload: { type: 'automation.rejected', occurrenceId: id('f1'), reason: 'too late' },
  });
  expect(inAutomation('automation.completed', { because: 'once' })?.data).toEqual({
    userId,
    automationId: automation,
  });
});

it('an operator’s words are not told', () => {
  const disabled = stored(`user-${userId}`, 'user.disabled', { reason: 'a case number' });
  const subject = subjectOf(disabled);
  const recorded = { ...disabled, event: { type: 'user.disabled', at, reason: 'a case number' } as const };
  expect(subject && noticeOf(recorded, subject)).toMatchObject({
    type: 'user.disabled',
    data: { userId },
    payload: { type: 'user.disabled', at },
  });
  expect(JSON.stringify(subject && noticeOf(recorded, subject))).not.toContain('case');
});

it.each(['run.started', 'agent.message', 'tool.called', 'operation.settled', 'toString', 'constructor'])(
  '%s is not told',
  (type) => expect(isNoticeSource(type)).toBe(false),
);

it.each([
  ['wallet', { userId, conversationId: null, operationId: null, automationId: null }],
  ['budget', { userId, conversationId: null, operationId: null, automationId: null }],
])('a %s is its user’s', (category, subject) =>
  expect(subjectOf(stored(`${category}-${userId}`, 'x', {}))).toEqual(subject),
);

it('a stream that names nobody has no subject', () => {
  expect(subjectOf(stored(`conversation-${conversation}`, 'x', {}))).toBeNull();
  expect(subjectOf(stored('budget-nobody', 'x', { userId: asId(userId) }))).toBeNull();
});
