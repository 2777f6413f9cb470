import type { ConversationEvent } from '@app/conversations';
import type { StoredEvent } from '@app/event-store';
import type { OperationEvent } from '@app/wallets';
import {
  at,
  decided,
  History,
  ids,
  journeys,
  opened,
  operationId,
  received,
  settledActions,
  terms,
} from '../test/histories';
import { verifyReceipt } from './receipt-verifier';

const settled = () => received(journeys.settled().events);

/** The forger writes a receipt of events that never were, with every hash in order: only their history can give it away. */
describe('a forged history', () => {
  const problemsOf = (history: History) => verifyReceipt(received(history.events)).map(({ message }) => message);
  const approved = () => History.begin().inConversation(opened()).inConversation(decided('approved'), 'user');
  const used = (changes: Parameters<typeof terms>[0] = {}): OperationEvent => ({
    type: 'operation.used',
    at: at(70),
    ...terms(changes),
  });

  it('reviewed something else than was fingerprinted', () => {
    const other = { ...opened(), summary: 'the same', input: { amountRaw: '9' } };
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
    expect(verifyReceipt(received([...events.slice(0, -1), { ...told, payload }]))).toMatchObject([
      { path: '/events/8', message: 'tells another outcome' },
    ]);
    const uncaused = { ...told, metadata: { ...told.metadata, $causationId: 'nothing' } };
    expect(verifyReceipt(received([...events.slice(0, -1), uncaused]))).toMatchObject([
      { message: 'copies nothing of the operation' },
    ]);
  });

  it('leaves events of the operation out, or orders them otherwise', () => {
    const events = journeys.settled().events;
    const without = events.filter(({ type }) => type !== 'action.settled');
    expect(verifyReceipt(received(without)).map(({ message }) => message)).toContain('is not the next of its stream');
    const [first, second, ...others] = events;
    const swapped = [first!, second!, ...others.slice(0, -2), others.at(-1)!, others.at(-2)!];
    expect(verifyReceipt(received(swapped)).map(({ message }) => message)).toContain('is out of order');
  });

  it('opens two approvals, or none', () => {
    expect(problemsOf(History.begin().inConversation(opened()).inConversation(opened()))).toContain(
      'open not exactly one approval',
    );
    const none: ConversationEvent = { type: 'conversation.archived', at: at(0) };
    const { events } = settled();
    const archived = History.begin().inConversation(opened()).inConversation(none).events[1]!;
    expect(verifyReceipt({ ...settled(), events: [hashedOf(archived)] })).not.toEqual([]);
    expect(verifyReceipt({ ...settled(), events: events.slice(1) })).not.toEqual([]);
  });
});

function hashedOf(stored: StoredEvent): object {
  return { ...received([History.begin().inConversation(opened()).events[0]!, stored]).events[1] };
}
