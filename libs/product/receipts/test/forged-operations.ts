/** Histories of operations that did something else than was approved, and some that did not, each by its name. */
import type { Contract } from '@app/consent';
import type { StoredEvent } from '@app/event-store';
import type { OperationEvent } from '@app/wallets';
import { at, decided, ids, opened, operationId, settledActions, terms } from './approval-facts';
import type { Forged } from './forged-authorities';
import { covered, History, journeys } from './histories';

type Action = Contract['actions'][number];
type Swap = Extract<Action, { readonly kind: 'swap' }>;
type Journaled = Extract<OperationEvent, { readonly type: 'submission.journaled' }>;

const near = { pinned: { tokenId: 'nep141:wrap.near', decimals: 24 } };
const usdc = { pinned: { tokenId: 'nep141:usdc.near', decimals: 6 } };
const failure = { reason: 'timed_out', text: opened().summary } as const;
const [journaled, accepted, settled, over] = settledActions(operationId) as [
  Journaled,
  OperationEvent,
  Extract<OperationEvent, { readonly type: 'action.settled' }>,
  OperationEvent,
]; // reason for the assertion: the fixture has these four
const refused: OperationEvent = { type: 'submission.refused', at: at(72), index: 0, failure };
const revoked: OperationEvent = {
  type: 'revocation.journaled',
  at: at(73),
  index: 0,
  revocation: { key: `${operationId}/0/1`, bytes: 'nothing' },
};
const gaveUp: OperationEvent = { type: 'action.failed', at: at(74), index: 0, failure };
const failed: OperationEvent = { type: 'operation.failed', at: at(74), failure };
const unresolved: OperationEvent = { type: 'operation.unresolved', at: at(72) };
const refunded: OperationEvent = { ...settled, type: 'action.refunded' };

const withdrawal = withdraw({ kind: 'exact_input_tokens', amountRaw: '1500000' });
const byWorth = withdraw({ kind: 'exact_input_value_usd', value: '5.0' });
const exactOutput: Swap = {
  kind: 'swap',
  input: near,
  output: usdc,
  quantity: { kind: 'exact_output_tokens', amountRaw: '7' },
};
const anySwap: Swap = {
  ...exactOutput,
  input: { any: true },
  output: { any: true },
  quantity: { kind: 'exact_input_tokens', amountRaw: '5' },
};

function withdraw(quantity: Extract<Action, { readonly kind: 'withdraw_to_owner' }>['quantity']): Action {
  return { kind: 'withdraw_to_owner', input: near, quantity };
}

function amount(amountRaw: string, tokenId = 'nep141:wrap.near') {
  return { tokenId, amountRaw };
}

function sent(
  index: number,
  attempt: number,
  changes: Partial<Journaled['submission']> = {},
  worthUsd: string | null = '1',
): Journaled {
  const submission = { ...journaled.submission, key: `${operationId}/${index}/${attempt}`, attempt, ...changes };
  return { ...journaled, index, submission, worthUsd };
}

/** The history of an operation of these actions, which the user approved, with these events after its use. */
function ran(name: string, actions: readonly Action[], ...events: readonly OperationEvent[]): Forged {
  const contract = { type: 'ledger_intents_transfer' as const, actions };
  const used: OperationEvent = { type: 'operation.used', at: at(70), ...terms({ contract }) };
  const history = History.begin()
    .inConversation(opened({ contract }))
    .inConversation(decided('approved'), 'user')
    .inOperation(operationId, used, ...events);
  return { name, history };
}

/** One withdrawal of an exact amount. */
function one(name: string, ...events: readonly OperationEvent[]): Forged {
  return ran(name, [withdrawal], ...events);
}

function two(name: string, ...events: readonly OperationEvent[]): Forged {
  return ran(name, [withdrawal, withdrawal], ...events);
}

/** An operation of a contract of one use for 10.5 dollars, whose submission has this worth. */
function worth(usd: string | null): Forged {
  const used: OperationEvent = { type: 'operation.used', at: at(70), ...terms({ automationId: ids.automationId }) };
  return {
    name: `a use worth ${JSON.stringify(usd)}`,
    history: covered().inOperation(operationId, used, sent(0, 1, {}, usd), accepted, settled, over),
  };
}

/** The settled history with its event of this type changed. */
function changed(name: string, type: string, change: (event: StoredEvent) => StoredEvent | null): Forged {
  const history = journeys.settled();
  const events = history.events.flatMap((event) => (event.type === type ? (change(event) ?? []) : event));
  history.events.splice(0, Infinity, ...events);
  return { name, history };
}

function withPayload(changes: object): (copy: StoredEvent) => StoredEvent {
  return (copy) => ({ ...copy, payload: { ...copy.payload, ...changes } });
}

const uncaused = (copy: StoredEvent): StoredEvent => ({
  ...copy,
  metadata: { ...copy.metadata, $causationId: 'nothing' },
});

export const heldOperations: readonly Forged[] = [
  one('sent again where the first was never taken', journaled, sent(0, 2), accepted, settled, over),
  one('refused, revoked and given up', journaled, refused, revoked, gaveUp, failed),
  one('given up before anything was sent', gaveUp, failed),
  one('unresolved, then settled', journaled, accepted, unresolved, settled, over),
  one('refunded', journaled, accepted, refunded, failed),
  two('one after the other', journaled, accepted, settled, sent(1, 1)),
  ran('worth what was agreed', [byWorth], sent(0, 1, {}, '5')),
  ran(
    'a swap for at least its output',
    [exactOutput],
    sent(0, 1, { output: amount('8', 'nep141:usdc.near'), leastOutput: amount('7', 'nep141:usdc.near') }),
  ),
  ran('a swap of any tokens', [anySwap], sent(0, 1, { input: amount('5', 'a'), output: amount('1', 'b') })),
  ...['10.5', '0', '3.75'].map(worth),
];

export const forgedOperations: readonly Forged[] = [
  one('of more than was approved', sent(0, 1, { input: amount('1500001') })),
  one('of another token', sent(0, 1, { input: amount('1500000', 'nep141:usdc.near') })),
  one('of an amount that is no whole number', sent(0, 1, { output: amount('1.5') })),
  one('under the key of another operation', sent(0, 1, { key: `${ids.withdrawalId}/0/1` })),
  one('under a later attempt', sent(0, 2)),
  one('under one attempt twice', journaled, journaled),
  ran('worth more than was agreed', [byWorth], sent(0, 1, {}, '5.000000000000000001')),
  ran('worth what nobody knows', [byWorth], sent(0, 1, {}, null)),
  ran('a swap for less', [exactOutput], sent(0, 1, { output: amount('6', 'nep141:usdc.near') })),
  ran(
    'a swap that promises less',
    [exactOutput],
    sent(0, 1, { output: amount('7', 'nep141:usdc.near'), leastOutput: amount('6', 'nep141:usdc.near') }),
  ),
  ran('a swap for another token', [exactOutput], sent(0, 1, { output: amount('7', 'another') })),
  ran('a swap for nothing', [anySwap], sent(0, 1, { input: amount('5') })),
  ran('a swap for itself', [anySwap], sent(0, 1, { input: amount('5'), output: amount('5') })),
  ...['10.500000000000000001', '107', '-1', '', null].map(worth),
  one('sent again after it was accepted', journaled, accepted, sent(0, 2)),
  one('sent again after a refusal', journaled, refused, sent(0, 2)),
  one('sent again while it is unresolved', journaled, unresolved, sent(0, 2)),
  one('sent again after it failed', journaled, gaveUp, sent(0, 2)),
  one('sent again after its end', journaled, accepted, settled, over, sent(0, 2)),
  one('accepted twice', journaled, accepted, accepted),
  one('accepted before it was sent', accepted),
  one('refused after it was accepted', journaled, accepted, refused),
  one('refused twice', journaled, refused, refused),
  one('revoked before it was refused', journaled, revoked),
  one('revoked twice', journaled, refused, revoked, revoked),
  one('settled before it was accepted', journaled, settled),
  // Reason for the assertion: it is no whole event.
  one('settled without what came back', journaled, accepted, { ...settled, returned: undefined } as never, over),
  one('settled twice', journaled, accepted, settled, settled),
  one('unresolved before it was sent', unresolved),
  one('unresolved twice', journaled, unresolved, unresolved),
  one('confirmed after its use', journaled, { type: 'operation.confirmed', at: at(73) }),
  one('over before it has settled', journaled, accepted, over),
  one('over twice', journaled, accepted, settled, over, over),
  one('failed although nothing failed', journaled, accepted, failed),
  two('over before the last action', journaled, accepted, settled, over),
  two('the second before the first', sent(1, 1)),
  two('the second while the first goes on', journaled, accepted, sent(1, 1)),
  two('the second after the first was refunded', journaled, accepted, refunded, sent(1, 1)),
  {
    name: 'decided before it was asked for',
    history: History.begin().inConversation(decided('approved'), 'user').inConversation(opened()),
  },
  changed('a copy of another outcome', 'settlement.updated', withPayload({ status: 'failed' })),
  changed('a copy of other actions', 'settlement.updated', withPayload({ actions: [] })),
  changed('a copy of another failure', 'settlement.updated', withPayload({ failure })),
  changed('a copy of another operation', 'settlement.updated', withPayload({ operationId: ids.withdrawalId })),
  changed('a copy before its source', 'settlement.updated', withPayload({ at: at(79) })),
  changed('a copy of nothing', 'settlement.updated', uncaused),
  changed('a copy of another approval', 'operation.submitted', withPayload({ approvalId: ids.contractApprovalId })),
  changed('a copy of another run', 'operation.submitted', withPayload({ runId: ids.approvalId })),
  changed('an outcome without its submission', 'operation.submitted', () => null),
  changed('a copy in another conversation', 'settlement.updated', (copy) => ({
    ...copy,
    stream: `conversation-${ids.runId}`,
  })),
];
