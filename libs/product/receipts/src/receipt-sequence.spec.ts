/** An operation's events that the decider cannot have recorded one after the other, though each of them is well formed. */
import type { ContractAction } from '@app/consent';
import type { OperationEvent } from '@app/wallets';
import { at, decided, opened, operationId, settledActions, terms } from '../test/approval-facts';
import { History, received } from '../test/histories';
import { verifyReceipt } from './receipt-verifier';

type Journaled = Extract<OperationEvent, { readonly type: 'submission.journaled' }>;

const withdrawal: ContractAction = {
  kind: 'withdraw_to_owner',
  input: { pinned: { tokenId: 'nep141:wrap.near', decimals: 24 } },
  quantity: { kind: 'exact_input_tokens', amountRaw: '1500000' },
};
const contract = { type: 'ledger_intents_transfer' as const, actions: [withdrawal, withdrawal] };
const used: OperationEvent = { type: 'operation.used', at: at(70), ...terms({ contract }) };
const ofAll = {
  ...used,
  contract: { ...contract, actions: [{ ...withdrawal, quantity: { kind: 'all_of_input' as const } }] },
};
const [journaled, accepted, settled, over] = settledActions(operationId) as [
  Journaled,
  OperationEvent,
  OperationEvent,
  OperationEvent,
]; // reason for the assertion: the fixture has these four
const failure = { reason: 'timed_out', text: opened().summary } as const;
const gaveUp: OperationEvent = { type: 'action.failed', at: at(72), index: 0, failure };
const failed: OperationEvent = { type: 'operation.failed', at: at(72), failure };
const confirmed: OperationEvent = { type: 'operation.confirmed', at: at(73) };
const unresolved: OperationEvent = { type: 'operation.unresolved', at: at(72) };

function sent(index: number, attempt: number, amountRaw = journaled.submission.input.amountRaw): Journaled {
  const { submission } = journaled;
  const input = { ...submission.input, amountRaw };
  return {
    ...journaled,
    index,
    submission: { ...submission, key: `${operationId}/${index}/${attempt}`, attempt, input },
  };
}

it.each<[string, OperationEvent[]]>([
  ['is used again, and sends a second time', [journaled, accepted, used, sent(0, 2)]],
  ['is used again under another contract', [journaled, accepted, ofAll, sent(0, 2, '9999999999')]],
  ['is confirmed after its failure', [journaled, gaveUp, failed, confirmed, sent(0, 2)]],
  ['is confirmed while the provider cannot tell', [journaled, unresolved, confirmed, sent(0, 2)]],
  ['goes on after an action that failed', [journaled, gaveUp, sent(0, 2)]],
  ['settles an earlier action again', [journaled, accepted, settled, sent(1, 1), unresolved, settled, sent(1, 2)]],
  ['settles after its failure', [journaled, gaveUp, failed, settled, sent(1, 1)]],
  ['settles what the provider never accepted', [journaled, settled, sent(1, 1)]],
  ['is accepted twice', [journaled, accepted, accepted, settled]],
  ['ends before its last action', [journaled, accepted, settled, over]],
  ['fails although nothing failed', [journaled, accepted, failed]],
  ['fails what has settled', [journaled, accepted, settled, gaveUp]],
])('an operation %s', (_, events) => {
  const history = History.begin()
    .inConversation(opened({ contract }))
    .inConversation(decided('approved'), 'user')
    .inOperation(operationId, used, ...events);
  const { holds, problems } = verifyReceipt(received(history.events));
  expect(holds).toBe(false);
  expect(problems.map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/^(cannot follow what was before it|came while another could be executed, or out of turn)$/),
  );
});
