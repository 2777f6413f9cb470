import { asId, type ApprovalId, type RunId, type UserId } from '@app/kernel';
import { instant, specification } from '@app/testing/deciders';
import { conversationDecider } from './conversation.decider';
import type { ConversationEvent, OperationCopy } from './conversation.events';

const at = instant('2026-03-01T10:00Z');
const userId = asId<UserId>('ada');
const conversation = specification(conversationDecider);
const created: ConversationEvent = {
  type: 'conversation.created',
  at,
  userId,
  title: null,
  origin: 'conversation',
  automationId: null,
};

describe('a copy of what an operation came to', () => {
  const submitted: OperationCopy = {
    type: 'operation.submitted',
    at,
    operationId: asId('op'),
    runId: asId<RunId>('run'),
    approvalId: asId<ApprovalId>('a'),
  };
  const settled: ConversationEvent = {
    type: 'settlement.updated',
    at,
    operationId: asId('op'),
    status: 'settled',
    actions: [],
    failure: null,
  };

  it('is appended once, and no submission after its end', () => {
    conversation.given(created).when({ type: 'CopyOperation', copy: submitted }).thenOnce(submitted);
    conversation.given(created, submitted).when({ type: 'CopyOperation', copy: settled }).thenOnce(settled);
    conversation.given(created, settled).when({ type: 'CopyOperation', copy: submitted }).thenNothing();
  });

  it('is never of an earlier instant than the conversation’s last event', () => {
    const earlier = instant('2026-02-28T23:00Z');
    conversation
      .given(created)
      .when({ type: 'CopyOperation', copy: { ...submitted, at: earlier } })
      .thenOnce(submitted);
  });

  it('is a fact that even an archived conversation takes', () => {
    const archived: ConversationEvent = { type: 'conversation.archived', at };
    conversation.given(created, archived).when({ type: 'CopyOperation', copy: settled }).then(settled);
    conversation.when({ type: 'CopyOperation', copy: settled }).thenRefused('not_found');
  });
});
