import { asId, type ApprovalId } from '@app/kernel';
import { specification } from '@app/testing/deciders';
import {
  contract,
  createdWith,
  createWith,
  definitionWith,
  minutes,
  openedWith,
  review,
  secondEpoch,
} from '../../test/automation-facts';
import { archive, archived, soon, update, updated } from '../../test/automation-changes';
import type { AutomationDefinition } from '../definition/automation-definition';
import { automationDecider } from './automation.decider';
import type { AutomationEvent } from './automation.events';

const automation = specification(automationDecider);

describe('the approval of a contract', () => {
  const definition = definitionWith({}, contract);
  const asked = createdWith(definition);
  const opened = openedWith(review, definition);
  const { approvalId } = review;
  const verdict = { status: 'approved' } as const;
  const decide = { type: 'DecideApproval', at: soon, approvalId, verdict, decidedBy: 'user' } as const;
  const decided: AutomationEvent = {
    type: 'approval.decided',
    at: soon,
    approvalId,
    status: 'approved',
    decidedBy: 'user',
    denialReason: null,
    runKey: null,
  };
  const superseded: AutomationEvent = {
    type: 'approval.expired',
    at: soon,
    approvalId,
    endedReason: 'superseded',
    runKey: null,
  };
  const nextReview = { ...review, approvalId: asId<ApprovalId>('the next'), fingerprint: 'sha256:next' };

  it('is asked for with the creation', () => automation.when(createWith(definition)).thenOnce(asked, opened));
  it('is decided once, and expires', () => {
    const pending = automation.given(asked, opened);
    pending.when(decide).then(decided);
    automation.given(asked, opened, decided).when(decide).thenRefused('approval_not_pending');
    pending.when({ ...decide, approvalId: nextReview.approvalId }).thenRefused('approval_not_pending');
    pending.when({ type: 'ExpireApproval', at: soon, approvalId }).thenNothing();
    pending
      .when({ type: 'ExpireApproval', at: minutes(60), approvalId })
      .thenOnce({ ...superseded, at: minutes(60), endedReason: 'timeout' });
  });

  const ended: AutomationEvent = { type: 'contract.superseded', at: soon, approvalId };

  it('stays, with its uses, as long as nothing but the name changes, however the rest is spelled', () => {
    const { type, actions, bounds } = contract;
    const same = { ...definitionWith({}, { bounds: bounds!, actions, type }), name: 'Another' };
    const kept = automation.given(asked, opened, decided);
    kept.when({ ...update, definition: same, review: nextReview }).then({ ...updated, definition: same });
    const used: AutomationEvent = {
      type: 'contract.used',
      at: soon,
      toolCallId: asId('call'),
      approvalId: asId('of the call'),
      usd: '1',
      occurrence: null,
    };
    const { state } = automation.given(asked, opened, decided, used, { ...updated, definition: same });
    expect(state?.contractApproval).toMatchObject({ approvalId, status: 'approved' });
    expect(Object.keys(state!.uses)).toEqual(['call']);
  });

  it.each<[string, Partial<AutomationDefinition>]>([
    ['contract', { contract: { ...contract, bounds: { ...contract.bounds!, maxUses: 4 } } }],
    ['prompt', { prompt: 'swap 10 USDC to NEAR at any price' }],
    ['conversation', { conversation: 'same' }],
    ['profile', { profile: { tools: ['intents_transfer'] } }],
    ['wake', { wake: { kind: 'event', types: ['order.paid'] } }],
    ['condition', { condition: { bindings: [], rule: { exists: { value: true } } } }],
    ['firing', { firing: { ...definition.firing, cooldownSeconds: 1 } }],
  ])('ends when the %s changes, and the whole rule is asked for again, with no uses', (_, member) => {
    const other = { ...definition, ...member };
    const change = { ...update, definition: other, review: nextReview };
    const after = { ...updated, definition: other };
    const openedNext = openedWith(nextReview, other, soon);
    automation.given(asked, opened).when(change).then(superseded, after, openedNext);
    automation.given(asked, opened, decided).when(change).then(ended, after, openedNext);
    const { state } = automation.given(asked, opened, decided, ended, after, openedNext);
    expect(state).toMatchObject({ contractApproval: { approvalId: 'the next', status: 'pending' }, uses: {} });
  });

  it('of a rule that was changed before its end was recorded with the change is over, and the next update asks again', () => {
    const other = { ...definition, prompt: 'something else' };
    const before = automation.given(asked, opened, decided, { ...updated, definition: other });
    expect(before.state).toMatchObject({ contractApproval: null, uses: {} });
    const again = { ...update, revision: `2.${secondEpoch}`, definition: other, review: nextReview };
    before
      .when(again)
      .then({ ...updated, definition: other, definitionVersion: 3 }, openedWith(nextReview, other, soon));
  });

  it('is superseded by no contract, and by the archive', () => {
    automation.given(asked, opened).when(update).then(superseded, updated);
    expect(automation.given(asked, opened, superseded, updated).state?.contractApproval).toBeNull();
    automation.given(asked, opened).when(archive).thenOnce(archived, superseded);
    automation.given(asked, opened, decided).when(archive).thenOnce(archived, ended);
    automation.given(asked, opened, decided).when(update).then(ended, updated);
  });
});
