import type { ContractAction } from '@app/consent';
import type { OperationEvent } from '@app/wallets';
import { at, decided, opened, operationId, settledActions, terms } from '../test/approval-facts';
import { History, journeys, received, withoutWorth } from '../test/histories';
import { verifyReceipt } from './receipt-verifier';

type Journaled = Extract<OperationEvent, { readonly type: 'submission.journaled' }>;

const near = { pinned: { tokenId: 'nep141:wrap.near', decimals: 24 } };
const usdc = { pinned: { tokenId: 'nep141:usdc.near', decimals: 6 } };
const amount = (tokenId: string, amountRaw: string) => ({ tokenId, amountRaw });

const [journaled, accepted, settled, over] = settledActions(operationId) as [
  Journaled,
  OperationEvent,
  OperationEvent,
  OperationEvent,
]; // reason for the assertion: the fixture has these four

/** The problems of a history in which the user approved these actions, and the operation's stream has these events. */
function problemsOf(actions: readonly ContractAction[], ...events: readonly OperationEvent[]): string[] {
  const contract = { type: 'ledger_intents_transfer' as const, actions };
  const history = History.begin()
    .inConversation(opened({ contract }))
    .inConversation(decided('approved'), 'user')
    .inOperation(operationId, { type: 'operation.used', at: at(70), ...terms({ contract }) }, ...events);
  return verifyReceipt(received(history.events)).problems.map(({ message }) => message);
}

const sent = (changes: Partial<Journaled['submission']>, worthUsd: string | null = '1'): Journaled => ({
  ...journaled,
  submission: { ...journaled.submission, ...changes },
  worthUsd,
});

const withdrawal: ContractAction = {
  kind: 'withdraw_to_owner',
  input: near,
  quantity: { kind: 'exact_input_tokens', amountRaw: '1500000' },
};
const swap = (quantity: Extract<ContractAction, { readonly kind: 'swap' }>['quantity']): ContractAction => ({
  kind: 'swap',
  input: near,
  output: usdc,
  quantity,
});

describe('what an operation journaled is held against the words that were approved', () => {
  const other = 'is not what was approved';

  it('by the exact amount and the token that goes', () => {
    const [more, foreign] = [amount('nep141:wrap.near', '1500001'), amount('nep141:usdc.near', '1500000')];
    expect(problemsOf([withdrawal], journaled, accepted, settled, over)).toEqual([]);
    expect(problemsOf([withdrawal], sent({ input: more }))).toEqual([other]);
    expect(problemsOf([withdrawal], sent({ input: more }, null))).toEqual([other]);
    expect(problemsOf([withdrawal], sent({ input: foreign }))).toEqual([other]);
    const all: ContractAction = { ...withdrawal, quantity: { kind: 'all_of_input' } };
    expect(problemsOf([all], sent({ input: more }))).toEqual([]);
    expect(problemsOf([all], sent({ input: foreign }))).toEqual([other]);
  });

  it('by the token and the exact amount that a swap delivers', () => {
    const given = amount('nep141:wrap.near', '5');
    const [enough, little, foreign] = [
      amount('nep141:usdc.near', '7'),
      amount('nep141:usdc.near', '6'),
      amount('nep141:else.near', '7'),
    ];
    const exactInput = swap({ kind: 'exact_input_tokens', amountRaw: '5' });
    const exactOutput = swap({ kind: 'exact_output_tokens', amountRaw: '7' });
    expect(problemsOf([exactInput], sent({ input: given, output: little }))).toEqual([]);
    expect(problemsOf([exactInput], sent({ input: given, output: foreign }))).toEqual([other]);
    expect(problemsOf([exactInput], sent({ input: given, output: null }))).toEqual([other]);
    expect(problemsOf([exactOutput], sent({ input: given, output: enough }))).toEqual([]);
    expect(problemsOf([exactOutput], sent({ input: given, output: little }))).toEqual([other]);
    expect(problemsOf([exactOutput], sent({ input: given, output: enough, leastOutput: little }))).toEqual([other]);
    const toItself: ContractAction = { ...exactInput, kind: 'swap', input: { any: true }, output: { any: true } };
    expect(problemsOf([toItself], sent({ input: given, output: given }))).toEqual([other]);
  });

  it('by an action that the contract has, also where no worth was kept', () => {
    const key = `${operationId}/1/1`;
    expect(problemsOf([withdrawal], { ...sent({ key }, null), index: 1 })).toContain(other);
  });

  it('by a worth, which is kept of every action that is agreed to by it', () => {
    const byWorth: ContractAction = { ...withdrawal, quantity: { kind: 'exact_input_value_usd', value: '5.0' } };
    expect(problemsOf([byWorth], sent({}, '5'))).toEqual([]);
    expect(problemsOf([byWorth], sent({}, null))).toEqual(['is worth more than was approved']);
  });
});

describe('a worth that an earlier version did not record', () => {
  const reportOf = (history: History, version: 1 | 2) =>
    verifyReceipt(received(history.events.map((stored) => withoutWorth(version, stored))));
  const textsOf = (findings: readonly { readonly text: string }[]): string =>
    findings.map(({ text }) => text).join(' ');

  it.each([1, 2] as const)('leaves unproven that the use was within the bounds, and is no fault (version %i)', (v) => {
    const { holds, problems, proven, unproven: open } = reportOf(journeys.covered(), v);
    expect([holds, problems]).toEqual([true, []]);
    expect(textsOf(open)).toContain('That what was sent was worth no more than one use allows');
    expect(textsOf(proven)).not.toContain('and this use is within its bounds');
    expect(textsOf(proven)).toContain('this use, as the contract counted it, is within its bounds');
  });

  it('is named of no submission of now, of none that a user decided by amounts, and where none was sent', () => {
    const ofNow = verifyReceipt(received(journeys.covered().events));
    const all = [ofNow, reportOf(journeys.settled(), 1), reportOf(journeys.pending(), 1)];
    expect(all.map(({ holds }) => holds)).toEqual([true, true, true]);
    expect(all.map(({ unproven }) => textsOf(unproven)).join(' ')).not.toContain('worth');
    expect(textsOf(ofNow.proven)).toContain('and this use is within its bounds');
  });

  it('leaves unproven that an action agreed to by its worth kept to it', () => {
    const byWorth: ContractAction = { ...withdrawal, quantity: { kind: 'exact_input_value_usd', value: '5.0' } };
    const contract = { type: 'ledger_intents_transfer' as const, actions: [byWorth] };
    const history = History.begin()
      .inConversation(opened({ contract }))
      .inConversation(decided('approved'), 'user')
      .inOperation(operationId, { type: 'operation.used', at: at(70), ...terms({ contract }) }, journaled);
    const { holds, unproven: open } = reportOf(history, 2);
    expect([holds, textsOf(open)]).toEqual([true, expect.stringContaining('no more than was approved')]);
  });
});

describe('nothing was sent while something else was, or could be', () => {
  const again = sent({ key: `${operationId}/0/2`, attempt: 2 });
  const untimely = 'came while another could be executed, or out of turn';

  it('a second time after the provider took the first', () => {
    expect(problemsOf([withdrawal], journaled, accepted, again)).toEqual([untimely]);
  });

  it('after a refusal, or while the provider cannot tell', () => {
    const refused = { type: 'submission.refused', at: at(72), index: 0, failure: timedOut } as const;
    expect(problemsOf([withdrawal], journaled, refused, again)).toEqual([untimely]);
    expect(problemsOf([withdrawal], journaled, { type: 'operation.unresolved', at: at(72) }, again)).toEqual([
      untimely,
    ]);
  });

  it('after the end', () => {
    expect(problemsOf([withdrawal], journaled, accepted, settled, over, again)).toContain(untimely);
    const failed = { type: 'operation.failed', at: at(72), failure: timedOut } as const;
    expect(problemsOf([withdrawal], journaled, failed, again)).toContain(untimely);
  });

  it('of a later action before the one before it settled, nor of one that gave its money back to hide it', () => {
    const second = { ...sent({ key: `${operationId}/1/1` }), index: 1 };
    expect(problemsOf([withdrawal, withdrawal], journaled, accepted, second)).toEqual([untimely]);
    const back = { type: 'action.refunded', at: at(81), index: 0, output: null, returned: null } as const;
    expect(problemsOf([withdrawal, withdrawal], journaled, accepted, settled, back, second)).toContain(untimely);
  });

  it('but again where the first was never taken', () => {
    expect(problemsOf([withdrawal], journaled, again, accepted, settled, over)).toEqual([]);
    expect(
      problemsOf([withdrawal, withdrawal], journaled, accepted, settled, {
        ...sent({ key: `${operationId}/1/1` }),
        index: 1,
      }),
    ).toEqual([]);
  });
});

const timedOut = { reason: 'timed_out', text: opened().summary } as const;
