import type { Contract } from '@app/consent';
import { asId, type ApprovalId } from '@app/kernel';
import { specification } from '@app/testing/deciders';
import {
  at,
  call,
  contract,
  createdWith,
  definitionWith,
  finished,
  occurrence,
  openedWith,
  review,
  running,
  runOf,
  secondEpoch,
  seconds,
  symbols,
} from '../../test/automation-facts';
import type { AutomationDefinition } from '../definition/automation-definition';
import { automationDecider } from './automation.decider';
import type { AutomationEvent, ContractUseEvent } from './automation.events';
import { isSameRule } from './contract-use.decider';

const automation = specification(automationDecider);
const definition = definitionWith({}, contract);
const asked = [createdWith(definition), openedWith(review, definition)];
const approvalId = asId<ApprovalId>('of the call');
const approved: AutomationEvent = {
  type: 'approval.decided',
  at,
  approvalId: review.approvalId,
  status: 'approved',
  decidedBy: 'user',
  denialReason: null,
  runKey: null,
};
/** The rule has fired, and its run is in flight. */
const agreed = [...asked, approved, ...running(0)];
const { runId } = runOf(0);

const contractApprovalId = review.approvalId;
const use = (number: number, usd: string, when = seconds(number)) =>
  ({ type: 'UseContract', at: when, toolCallId: call(number), runId, approvalId, contractApprovalId, usd }) as const;
const used = (number: number, usd: string, minute = 0): ContractUseEvent => ({
  type: 'contract.used',
  at: seconds(number),
  toolCallId: call(number),
  approvalId,
  usd,
  occurrence: occurrence(minute),
});
const giveBack = (number: number) =>
  ({ type: 'ReturnContractUse', at: seconds(60), toolCallId: call(number) }) as const;
const returned = (number: number): ContractUseEvent => ({ ...giveBack(number), type: 'contract.use_returned' });

it('a use that is held while the automation is paused waits, and is refused for good where its bounds do not cover it', () => {
  const hold = (usd: string) => ({ type: 'HoldContractUse', at: seconds(5), toolCallId: call(1), usd }) as const;
  const paused = { type: 'automation.paused', at: seconds(4) } as const;
  automation
    .given(...agreed, used(1, '1'), paused)
    .when(hold('2'))
    .thenRefused('automation_held');
  automation
    .given(...agreed, used(1, '1'))
    .when(hold('11'))
    .thenRefused('withdrawal_changed');
});

describe('a use of the approved contract', () => {
  it('is counted once, however often the tool call asks', () =>
    automation
      .given(...agreed)
      .when(use(1, '10'))
      .thenOnce(used(1, '10')));

  it('is at most what one use may come to', () => {
    automation
      .given(...agreed)
      .when(use(1, '10.50'))
      .then(used(1, '10.50'));
    automation
      .given(...agreed)
      .when(use(1, '10.500000000000000000001'))
      .thenRefused('withdrawal_changed');
  });

  it('is at most what is left of the total, to the last digit', () => {
    const twice = automation.given(...agreed, used(1, '10.1'), used(2, '10.2'));
    twice.when(use(3, '4.9')).then(used(3, '4.9'));
    twice.when(use(3, '4.900000000000000000001')).thenRefused('withdrawal_changed');
  });

  it('is one of so many', () =>
    automation
      .given(...agreed, used(1, '1'), used(2, '1'), used(3, '1'))
      .when(use(4, '1'))
      .thenRefused('withdrawal_changed'));

  describe('of one occurrence', () => {
    const bounded = (usesPerOccurrence?: number) => {
      const { usesPerOccurrence: _, ...bounds } = contract.bounds!;
      const its = usesPerOccurrence === undefined ? bounds : { ...bounds, usesPerOccurrence };
      const ofRule = definitionWith({}, { ...contract, bounds: its });
      return [createdWith(ofRule), openedWith(review, ofRule), approved, ...running(0)];
    };

    it('is one of so many, however many are left of all', () => {
      const twice = automation.given(...bounded(2), used(1, '1'));
      twice.when(use(2, '1')).thenOnce(used(2, '1'));
      const full = automation.given(...bounded(2), used(1, '1'), used(2, '1'));
      full.when(use(3, '1')).thenRefused('withdrawal_changed');
      full.when(use(2, '1')).thenNothing();
      automation
        .given(...bounded(2), used(1, '1'), used(2, '1'), returned(1))
        .when(use(3, '1'))
        .then(used(3, '1'));
    });

    it('is the only one where the contract does not say how many, as contracts from before could not', () =>
      automation
        .given(...bounded(), used(1, '1'))
        .when(use(2, '1'))
        .thenRefused('withdrawal_changed'));

    it('leaves room for the next occurrence', () => {
      const next = { ...use(2, '1'), runId: runOf(5).runId };
      const later = automation.given(...bounded(1), used(1, '1'), finished(0, at), ...running(5));
      later.when(next).then(used(2, '1', 5));
      // Events of version 1 do not name the occurrence.
      const older = { ...used(1, '1'), occurrence: null };
      automation
        .given(...bounded(1), older)
        .when(use(2, '1'))
        .then(used(2, '1'));
    });
  });

  it('is before the contract’s end', () => {
    const end = contract.bounds!.notAfter;
    automation
      .given(...agreed)
      .when(use(1, '1', end))
      .thenRefused('withdrawal_changed');
  });

  it('needs the approval', () => {
    automation
      .given(...asked, ...running(0))
      .when(use(1, '1'))
      .thenRefused('withdrawal_changed');
    const denied = { ...approved, status: 'denied', denialReason: null } as const;
    automation
      .given(...asked, denied, ...running(0))
      .when(use(1, '1'))
      .thenRefused('withdrawal_changed');
    automation
      .given(createdWith(), ...running(0))
      .when(use(1, '1'))
      .thenRefused('withdrawal_changed');
  });

  it('is of the contract that it was held against', () =>
    automation
      .given(...agreed)
      .when({ ...use(1, '1'), contractApprovalId: asId<ApprovalId>('of the one before') })
      .thenRefused('withdrawal_changed'));

  it('is of a run under way that the reviewed rule has set in motion', () => {
    automation
      .given(...asked, ...running(0), approved)
      .when(use(1, '1'))
      .then(used(1, '1'));
    automation
      .given(...agreed, finished(0, at))
      .when(use(1, '1'))
      .thenRefused('withdrawal_changed');
    automation
      .given(...agreed)
      .when({ ...use(1, '1'), runId: runOf(7).runId })
      .thenRefused('withdrawal_changed');
    const renamed = { type: 'automation.updated', at, symbols, definitionVersion: 2, epoch: secondEpoch } as const;
    automation
      .given(...agreed, { ...renamed, definition: { ...definition, name: 'Another' } })
      .when(use(1, '1'))
      .then(used(1, '1'));
  });

  it('is of no run of the rule before, also once the rule after it was approved', () => {
    const next = asId<ApprovalId>('the next');
    const other = { ...definition, prompt: 'something else' };
    const changed: AutomationEvent[] = [
      { type: 'contract.superseded', at, approvalId: review.approvalId },
      { type: 'automation.updated', at, definition: other, symbols, definitionVersion: 2, epoch: secondEpoch },
      openedWith({ ...review, approvalId: next }, other),
      { ...approved, approvalId: next },
    ];
    automation
      .given(...agreed, ...changed)
      .when({ ...use(1, '1'), contractApprovalId: next })
      .thenRefused('withdrawal_changed');
  });

  it('needs an enabled automation, held or not', () => {
    for (const type of ['automation.paused', 'automation.archived'] as const)
      automation
        .given(...agreed, { type, at })
        .when(use(1, '1'))
        .thenRefused('withdrawal_changed');
    automation
      .given(...agreed, { type: 'automation.held', at, reason: 'odd' })
      .when(use(1, '1'))
      .then(used(1, '1'));
  });

  it.each(['', '-1', '1e3', 'NaN', ' 1'])('is a decimal, not "%s"', (usd) =>
    automation
      .given(...agreed)
      .when(use(1, usd))
      .thenRefused('withdrawal_changed'),
  );
});

describe('a use that came to nothing', () => {
  it('is given back once', () => {
    automation
      .given(...agreed, used(1, '10'))
      .when(giveBack(1))
      .thenOnce(returned(1));
    automation
      .given(...agreed)
      .when(giveBack(1))
      .thenNothing();
  });

  it('leaves room for others', () => {
    const full = [used(1, '10'), used(2, '10'), used(3, '5.2')];
    automation
      .given(...agreed, ...full, returned(2))
      .when(use(4, '10'))
      .then(used(4, '10'));
    automation
      .given(...agreed, ...full, returned(2))
      .when(use(4, '10.01'))
      .thenRefused('withdrawal_changed');
  });
});

describe('isSameRule', () => {
  const withContract = (asked: Contract) => definitionWith({}, asked);
  const [action] = contract.actions;
  it('compares values, not spellings, and leaves the name out', () => {
    const spelled = JSON.parse(
      '{"bounds":{"totalUsd":"25.2","notAfter":"2026-03-02T00:00:00.000Z","perUseUsd":"10.5","usesPerOccurrence":10,"maxUses":3},"actions":[]}',
    ) as Contract;
    const same = withContract({ ...spelled, type: contract.type, actions: contract.actions });
    expect(isSameRule({ ...same, name: 'Another' }, definition)).toBe(true);
    // A contract without `usesPerOccurrence`, which older versions wrote, counts as "once".
    const { usesPerOccurrence: _, ...older } = contract.bounds!;
    const once = withContract({ ...contract, bounds: { ...older, usesPerOccurrence: 1 } });
    expect(isSameRule(withContract({ ...contract, bounds: older }), once)).toBe(true);
    expect(isSameRule(withContract({ ...contract, bounds: older }), definition)).toBe(false);
    expect(isSameRule(definitionWith(), definitionWith())).toBe(true);
  });

  it('tells apart what differs anywhere', () => {
    const { bounds: _, ...unbounded } = contract;
    const others: readonly AutomationDefinition[] = [
      definitionWith(),
      withContract(unbounded),
      withContract({ ...contract, actions: [] }),
      withContract({ ...contract, actions: [action!, action!] }),
      withContract({ ...contract, actions: [{ ...action!, input: { any: true } }] }),
      withContract({ ...contract, bounds: { ...contract.bounds!, perUseUsd: '10.50' } }),
      definitionWith({ retryForSeconds: 901 }, contract),
      { ...definition, prompt: `${definition.prompt} ` },
    ];
    for (const other of others) {
      expect(isSameRule(definition, other)).toBe(false);
      expect(isSameRule(other, definition)).toBe(false);
    }
  });
});
