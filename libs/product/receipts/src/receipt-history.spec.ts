import type { ConversationEvent } from '@app/conversations';
import type { StoredEvent } from '@app/event-store';
import { words, asId, type ToolCallId } from '@app/kernel';
import type { OperationEvent } from '@app/wallets';
import {
  at,
  contractUsed,
  decided,
  ids,
  opened,
  openedContract,
  operationId,
  settledActions,
  terms,
} from '../test/approval-facts';
import { covered, History, journeys, received } from '../test/histories';
import { verifyReceipt } from './receipt-verifier';

const settled = () => received(journeys.settled().events);

/** The forger writes a receipt of invented events, with every hash in order: only their history can reveal it. */
describe('a forged history', () => {
  const problemsOf = (history: History) =>
    verifyReceipt(received(history.events)).problems.map(({ message }) => message);
  const approved = () => History.begin().inConversation(opened()).inConversation(decided('approved'), 'user');
  const used = (changes: Parameters<typeof terms>[0] = {}): OperationEvent => ({
    type: 'operation.used',
    at: at(70),
    ...terms(changes),
  });

  it('reviewed something else than was fingerprinted', () => {
    const other = { ...opened(), summary: words`the same`, input: { amountRaw: '9' } };
    expect(problemsOf(History.begin().inConversation(other))).toContain(
      'what was reviewed does not hash to the fingerprint',
    );
  });

  it('was decided twice, too late, by another user, or for another approval', () => {
    expect(problemsOf(approved().inConversation(decided('denied'), 'user'))).toContain('it was over already');
    const late = History.begin().inConversation(opened()).inConversation(decided('approved', 86_400), 'user');
    expect(problemsOf(late)).toContain('came too late');
    const byService = History.begin().inConversation(opened()).inConversation(decided('approved'), 'service');
    expect(problemsOf(byService)).toContain('is by another user');
    const other = { ...decided('approved'), approvalId: ids.runId as unknown as typeof ids.approvalId };
    expect(problemsOf(History.begin().inConversation(opened()).inConversation(other, 'user'))).toContain(
      'is of another approval',
    );
  });

  it('ran another contract, for another wallet, in another operation, or without approval', () => {
    const actions = [{ ...opened().contract!.actions[0]!, quantity: { kind: 'all_of_input' as const } }];
    const otherContract = { type: 'ledger_intents_transfer' as const, actions };
    const run = (event: OperationEvent, id: string = operationId) => problemsOf(approved().inOperation(id, event));
    expect(run(used({ contract: otherContract }))).toContain('runs another contract');
    expect(run(used({ walletId: ids.runId as unknown as typeof ids.walletId }))).toContain('is of another wallet');
    expect(run(used(), ids.withdrawalId)).toContain("is not in this approval's operation");
    expect(problemsOf(History.begin().inConversation(opened()).inOperation(operationId, used()))).toContain(
      'was never approved',
    );
    const denied = journeys.denied().inOperation(operationId, used());
    expect(problemsOf(denied)).toContain('was never approved');
  });

  it('sent what is not of the operation, or was not journaled before', () => {
    const [journaled, accepted, ...rest] = settledActions(operationId);
    const foreign = settledActions(ids.withdrawalId)[0]!;
    expect(problemsOf(approved().inOperation(operationId, used(), foreign))).toContain('is not of this operation');
    expect(problemsOf(approved().inOperation(operationId, used(), journaled!, journaled!))).toContain(
      'is not of this operation',
    );
    expect(problemsOf(approved().inOperation(operationId, used(), accepted!, journaled!, ...rest))).toContain(
      'was never journaled',
    );
  });

  it('tells the conversation another outcome', () => {
    const events = journeys.settled().events;
    const told = events.at(-1)!;
    const payload = { ...told.payload, status: 'failed' };
    expect(verifyReceipt(received([...events.slice(0, -1), { ...told, payload }])).problems).toMatchObject([
      { path: '/events/8', message: 'tells another outcome' },
    ]);
    const uncaused = { ...told, metadata: { ...told.metadata, $causationId: 'nothing' } };
    expect(verifyReceipt(received([...events.slice(0, -1), uncaused])).problems).toMatchObject([
      { message: 'copies nothing of the operation' },
    ]);
  });

  it('leaves events of the operation out, or orders them otherwise', () => {
    const events = journeys.settled().events;
    const without = events.filter(({ type }) => type !== 'action.settled');
    expect(verifyReceipt(received(without)).problems.map(({ message }) => message)).toContain(
      'is not the next of its stream',
    );
    const [first, second, ...others] = events;
    const swapped = [first!, second!, ...others.slice(0, -2), others.at(-1)!, others.at(-2)!];
    expect(verifyReceipt(received(swapped)).problems.map(({ message }) => message)).toContain('is out of order');
  });

  it('opens two approvals, or none', () => {
    expect(problemsOf(History.begin().inConversation(opened()).inConversation(opened()))).toContain(
      'open not exactly one approval',
    );
    const none: ConversationEvent = { type: 'conversation.archived', at: at(0) };
    const { events } = settled();
    const archived = History.begin().inConversation(opened()).inConversation(none).events[1]!;
    expect(verifyReceipt({ ...settled(), events: [hashedOf(archived)] }).problems).not.toEqual([]);
    expect(verifyReceipt({ ...settled(), events: events.slice(1) }).problems).not.toEqual([]);
  });
});

function hashedOf(stored: StoredEvent): object {
  return { ...received([History.begin().inConversation(opened()).events[0]!, stored]).events[1] };
}

/** The authority for a covered call is in its automation's stream, of which the receipt holds the approved contract and this one use. */
describe('a forged authority', () => {
  const approved = { ...decided('approved', 30), approvalId: ids.contractApprovalId, runKey: null };
  const problemsOf = (...authority: Parameters<typeof covered>[0] & object) =>
    verifyReceipt(received(covered(authority).events)).problems;
  const messagesOf = (...authority: Parameters<typeof covered>[0] & object) =>
    problemsOf(...authority).map(({ message }) => message);

  it('was not approved by its user before the use', () => {
    expect(messagesOf(openedContract(), contractUsed())).toEqual(['the contract was not approved before']);
    expect(messagesOf(openedContract(), contractUsed(), approved)).toEqual(['the contract was not approved before']);
    const denied = { ...approved, status: 'denied' as const };
    expect(messagesOf(openedContract(), denied, contractUsed())).toEqual(['the contract was not approved before']);
    const late = { ...approved, at: at(90_000) };
    expect(messagesOf(openedContract(), late, contractUsed())).toEqual(['came too late']);
  });

  it('allows other actions, or is of another automation or wallet', () => {
    const { contract } = openedContract();
    const actions = contract!.actions.map((action) => ({ ...action, quantity: { kind: 'all_of_input' as const } }));
    const withContract = openedContract({ contract: { ...contract!, actions } });
    expect(messagesOf(withContract, approved, contractUsed())).toEqual(['allows other actions']);
    const elsewhere = openedContract({ automationId: ids.runId });
    expect(messagesOf(elsewhere, approved, contractUsed())).toEqual([
      "is no automation's contract",
      'is of another automation',
    ]);
    const wallet = openedContract({ walletId: ids.runId as unknown as typeof ids.walletId });
    expect(messagesOf(wallet, approved, contractUsed())).toEqual(['is of another wallet']);
    expect(messagesOf(openedContract({ kind: 'agent_tool' }), approved, contractUsed())).toEqual([
      "is no automation's contract",
    ]);
  });

  it('was used for another call, after its end, or beyond its bounds', () => {
    const use = (changes: Parameters<typeof contractUsed>[0]) =>
      problemsOf(openedContract(), approved, contractUsed(changes));
    const at2 = { path: '/events/2', stream: `automation-${ids.automationId}`, revision: 2 };
    expect(use({ approvalId: ids.contractApprovalId })).toEqual([{ ...at2, message: 'is of another call' }]);
    expect(use({ toolCallId: asId<ToolCallId>('another') })).toEqual([{ ...at2, message: 'is of another call' }]);
    expect(use({ at: at(600) })).toEqual([{ ...at2, message: 'came after the end of the contract' }]);
    for (const usd of ['10.500000000000000001', '-', ''])
      expect(use({ usd })).toEqual([{ ...at2, message: 'is beyond the bounds of the contract' }]);
  });

  it('covers no more than one use may move, by what the operation journaled', () => {
    const sent = (worthUsd: string | null) => {
      const [journaled, ...others] = settledActions(operationId);
      const used: OperationEvent = { type: 'operation.used', at: at(70), ...terms(), decidedBy: 'automation_contract' };
      const first = { ...journaled, worthUsd } as OperationEvent; // reason for the assertion: it is the journaling
      const { events } = covered().inOperation(operationId, used, first, ...others);
      return verifyReceipt(received(events)).problems.map(({ message }) => message);
    };
    for (const worth of ['10.5', '3.75']) expect(sent(worth)).toEqual([]);
    for (const worth of ['10.500000000000000001', '107', '-1', '', null])
      expect(sent(worth)).toEqual(['is beyond the bounds of the contract']);
  });

  it('is of no call that the user decided, nor of one that no automation made', () => {
    const asked = History.begin()
      .inAutomation(openedContract(), approved, contractUsed())
      .inConversation({ ...opened(), automationId: ids.automationId })
      .inConversation(decided('approved', 50), 'user');
    expect(verifyReceipt(received(asked.events)).problems).toMatchObject([{ message: 'was decided by no contract' }]);
    const own = History.begin()
      .inConversation(opened())
      .inConversation({ ...decided('approved', 50), decidedBy: 'automation_contract' });
    expect(verifyReceipt(received(own.events)).problems).toMatchObject([
      { message: 'no automation was there to decide it' },
    ]);
  });

  it('is half of one', () => {
    const half = { path: '/events', message: 'hold not exactly one contract of an automation, and one use of it' };
    expect(problemsOf(openedContract(), approved)).toMatchObject([half]);
    expect(problemsOf(openedContract(), approved, contractUsed(), contractUsed())).toMatchObject([half]);
  });

  it('may be absent, as in receipts of the time before: then the authority is not proven', () => {
    const { events } = covered([]);
    const { authority, ...dated } = received(events);
    expect(authority).toBeNull();
    const report = verifyReceipt(dated);
    expect(report).toMatchObject({ holds: true, unproven: [{ aspect: 'authority' }, { aspect: 'inclusion' }] });
  });
});
