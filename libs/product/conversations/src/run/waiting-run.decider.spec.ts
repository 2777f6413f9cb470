import { asId, type ProcessId } from '@app/kernel';
import { instant } from '@app/testing/deciders';
import { type ConversationCommand } from '../conversation.decider';
import type { ConversationEvent } from '../conversation.events';
import { pendingApprovals, waitingApproval } from '../conversation.state';
import {
  at,
  expiresAt,
  userId,
  run,
  other,
  usage,
  callOf,
  started,
  opened,
  suspended,
  decided,
  denied,
  expired,
  resumed,
  returned,
  over,
  suspend,
  approve,
  deny,
  expire,
  conversation,
  running,
  waiting,
  waitingForTwo,
  a,
  b,
  claimed,
} from '../../test/waiting-run-facts';

describe('a run that needs consent', () => {
  it('opens its approvals and waits, in one append', () => {
    conversation
      .given(...running)
      .when(suspend)
      .then(opened(a), suspended(a));
  });

  it('does not wait under a later claim, nor when it is to stop', () => {
    conversation
      .given(...running, claimed(1, 2))
      .when(suspend)
      .thenRefused('run_not_active');
    conversation
      .given(...running, { type: 'run.stopping', at, ...run })
      .when(suspend)
      .thenRefused('stop_pending');
  });

  it('holds neither the conversation nor a claim while it waits', () => {
    const { state } = conversation.given(...waiting);
    expect(state).toMatchObject({ liveRunId: null, openRuns: { run: { status: 'awaiting_approval' } } });
    expect([pendingApprovals(state), waitingApproval(state, a)?.resumes]).toEqual([1, true]);
    expect(waitingApproval(state, b)).toBeNull();
    conversation
      .given(...waiting)
      .when({ type: 'ClaimRun', at, runId: run.runId, segment: 1 })
      .thenRefused('run_not_active');
    conversation
      .given(...waiting)
      .when({ type: 'ArchiveConversation', at, userId })
      .thenRefused('run_active');
  });
});

describe('a decision', () => {
  it('resumes the run when none is left pending', () => {
    conversation
      .given(...waiting)
      .when(approve(a))
      .then(decided(a), resumed(a));
    conversation
      .given(...waiting)
      .when(deny(a))
      .then(decided(a, 'denied', 'no'), resumed(a), denied(a));
    conversation
      .given(...waitingForTwo, decided(a))
      .when(approve(b))
      .then(decided(b), resumed(a, b));
  });

  it('returns the calls that were denied, also those of earlier decisions', () => {
    const earlier = conversation.given(...waitingForTwo, decided(a, 'denied', 'no'));
    earlier.when(approve(b)).then(decided(b), resumed(a, b), denied(a));
    earlier.when(deny(b)).then(decided(b, 'denied', 'no'), resumed(a, b), denied(a), denied(b));
  });

  it('names who executes the run from there on', () => {
    const holder = asId<ProcessId>('process');
    const going = conversation.given(...waiting).when(approve(a, { slot: { holder } }));
    going.then(decided(a), { ...resumed(a), holder });
    const { state } = conversation.given(...waiting, decided(a), { ...resumed(a), holder });
    expect(state.openRuns).toMatchObject({ run: { status: 'running', attempt: 2, segment: 2 } });
  });

  it('stands alone while another is pending, no matter which run is live', () => {
    conversation
      .given(...waitingForTwo)
      .when(approve(a, { slot: null }))
      .then(decided(a));
    conversation
      .given(...waitingForTwo, started(other))
      .when(approve(a))
      .then(decided(a));
  });

  it('is made once', () => {
    conversation
      .given(...waitingForTwo, decided(a))
      .when(deny(a))
      .thenRefused('approval_not_pending');
    conversation
      .given(...waiting, decided(a), resumed(a))
      .when(approve(a))
      .thenRefused('approval_not_pending');
    conversation
      .given(...running)
      .when(approve(a))
      .thenRefused('approval_not_pending');
  });

  it('is not recorded when the run cannot go on', () => {
    conversation
      .given(...waiting)
      .when(approve(a, { slot: null }))
      .thenRefused('execution_capacity');
    conversation
      .given(...waiting, started(other))
      .when(approve(a))
      .thenRefused('run_active');
    const stopping: ConversationEvent = { type: 'run.stopping', at, ...other };
    conversation
      .given(...waiting, started(other), stopping)
      .when(deny(a))
      .thenRefused('stop_pending');
  });

  it('that comes too late records the expiry', () => {
    const events = [expired(a, 'timeout', expiresAt), returned(a, expiresAt), over('failed', expiresAt)];
    conversation
      .given(...waiting)
      .when(approve(a, { at: expiresAt }))
      .then(...events);
  });

  it('gives the run a new segment, without the costs of the one before', () => {
    const { state } = conversation.given(...waiting, decided(a), resumed(a));
    expect(state).toMatchObject({
      liveRunId: 'run',
      openRuns: { run: { status: 'queued', segment: 2, approvals: [] } },
    });
    const claim = { type: 'ClaimRun', at, runId: run.runId, segment: 2 } as const;
    conversation
      .given(...waiting, decided(a), resumed(a))
      .when(claim)
      .then(claimed(2, 2));
    const unreturned: ConversationEvent = {
      type: 'tool.returned',
      at,
      ...run,
      toolCallId: callOf(a),
      outcome: 'error',
      result: { error: 'the run ended before the tool returned' },
    };
    const end = { status: 'completed', response: { text: '', truncated: false }, output: null, failure: null } as const;
    conversation
      .given(...waiting, decided(a), resumed(a), claimed(2, 2))
      .when({ type: 'EndRun', at, runId: run.runId, attempt: 2, end })
      .then(unreturned, { type: 'run.ended', at, ...run, ...end, userId, usage, segment: 2, segmentCostCents: 0 });
  });
});

describe('an approval that expires', () => {
  it('ends its run at once, and the other approvals with it, decided ones unused', () => {
    const late = instant('2026-03-02T10:00:01Z');
    conversation
      .given(...waiting)
      .when(expire(a, late))
      .thenOnce(expired(a, 'timeout', late), returned(a, late), over('failed', late));
    conversation
      .given(...waitingForTwo)
      .when(expire(b, late))
      .then(
        expired(b, 'timeout', late),
        expired(a, 'run_ended', late),
        returned(a, late),
        returned(b, late),
        over('failed', late),
      );
    conversation
      .given(...waitingForTwo, decided(a))
      .when(expire(b, late))
      .then(expired(b, 'timeout', late), returned(a, late), returned(b, late), over('failed', late));
  });

  it('does not before its time, nor once it is decided', () => {
    conversation
      .given(...waiting)
      .when(expire(a, at))
      .thenNothing();
    conversation
      .given(...waiting, decided(a), resumed(a))
      .when(expire(a, expiresAt))
      .thenNothing();
  });
});

describe('an abort of a waiting run', () => {
  const stop: ConversationCommand = { type: 'StopRun', at, runId: run.runId };

  it('ends it and its approvals', () => {
    conversation
      .given(...waitingForTwo, decided(a))
      .when(stop)
      .then(expired(b, 'run_ended', at), returned(a, at), returned(b, at), over('aborted', at));
  });

  it('is refused while another run is live', () => {
    conversation
      .given(...waiting, started(other))
      .when(stop)
      .thenRefused('run_not_active');
  });

  it('that was resumed and not claimed yet returns the call that is not made', () => {
    const cut: ConversationEvent = {
      type: 'tool.returned',
      at,
      ...run,
      toolCallId: callOf(a),
      outcome: 'error',
      result: { error: 'the run ended before the tool returned' },
    };
    const ended = { ...over('aborted', at), segment: 2, segmentCostCents: 0 } as ConversationEvent; // reason: an end
    conversation
      .given(...waiting, decided(a), resumed(a))
      .when(stop)
      .then(cut, ended);
  });
});
