import type { Contract } from '@app/consent';
import { asId, type ApprovalId } from '@app/kernel';
import { specification } from '../../../test/support/decider-spec';
import { at, call, contract, createdWith, definitionWith, openedWith, review, seconds } from '../test/automation-facts';
import { automationDecider } from './automation.decider';
import type { AutomationEvent, ContractUseEvent } from './automation.events';
import { isSameContract } from './contract-use.decider';

const automation = specification(automationDecider);
const definition = definitionWith({}, contract);
const asked = [createdWith(definition), openedWith(review, definition)];
const approvalId = asId<ApprovalId>('of the call');
const approved: AutomationEvent = {
  ...{ type: 'approval.decided', at, approvalId: review.approvalId, status: 'approved', decidedBy: 'user' },
  ...{ denialReason: null, runKey: null },
};
const agreed = [...asked, approved];

const contractApprovalId = review.approvalId;
const use = (number: number, usd: string, when = seconds(number)) =>
  ({ type: 'UseContract', at: when, toolCallId: call(number), approvalId, contractApprovalId, usd }) as const;
const used = (number: number, usd: string): ContractUseEvent => ({
  ...{ type: 'contract.used', at: seconds(number), toolCallId: call(number), approvalId, usd },
});
const giveBack = (number: number) =>
  ({ type: 'ReturnContractUse', at: seconds(60), toolCallId: call(number) }) as const;
const returned = (number: number): ContractUseEvent => ({ ...giveBack(number), type: 'contract.use_returned' });

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

  it('is before the contract’s end', () => {
    const end = contract.bounds!.notAfter;
    automation
      .given(...agreed)
      .when(use(1, '1', end))
      .thenRefused('withdrawal_changed');
  });

  it('needs the approval', () => {
    automation
      .given(...asked)
      .when(use(1, '1'))
      .thenRefused('withdrawal_changed');
    const denied = { ...approved, status: 'denied', denialReason: null } as const;
    automation
      .given(...asked, denied)
      .when(use(1, '1'))
      .thenRefused('withdrawal_changed');
    automation.given(createdWith()).when(use(1, '1')).thenRefused('withdrawal_changed');
  });

  it('is of the contract that it was held against', () =>
    automation
      .given(...agreed)
      .when({ ...use(1, '1'), contractApprovalId: asId<ApprovalId>('of the one before') })
      .thenRefused('withdrawal_changed'));

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

describe('isSameContract', () => {
  const [action] = contract.actions;
  it('compares values, not spellings', () => {
    const spelled = JSON.parse(
      '{"bounds":{"totalUsd":"25.2","notAfter":"2026-03-02T00:00:00.000Z","perUseUsd":"10.5","maxUses":3},"actions":[]}',
    ) as Contract;
    expect(isSameContract({ ...spelled, type: contract.type, actions: contract.actions }, contract)).toBe(true);
    expect(isSameContract(undefined, undefined)).toBe(true);
  });

  it('tells apart what differs anywhere', () => {
    const { bounds: _, ...unbounded } = contract;
    const others: readonly (Contract | undefined)[] = [
      undefined,
      unbounded,
      { ...contract, actions: [] },
      { ...contract, actions: [action!, action!] },
      { ...contract, actions: [{ ...action!, input: { any: true } }] },
      { ...contract, bounds: { ...contract.bounds!, perUseUsd: '10.50' } },
    ];
    for (const other of others) {
      expect(isSameContract(contract, other)).toBe(false);
      expect(isSameContract(other, contract)).toBe(false);
    }
  });
});
