/** A receipt of an attacker is as large as a receipt can be: it is refused at once, or verified in a time that grows with its size. */
import type { JsonObject } from '@app/kernel';
import type { StoredEvent } from '@app/event-store';
import type { OperationEvent } from '@app/wallets';
import { at, decided, opened, operationId, settledActions, terms } from '../test/approval-facts';
import { History, journeys, received } from '../test/histories';
import { historyProblems } from './receipt-history';
import { receiptEventsMax, verifyReceipt } from './receipt-verifier';

const count = 300;
/** Far fewer than the other events of its receipt, which a search for each event would read. */
const readsPerEventMax = 40;

/** How often the type of an event is read, on average, while the history of these events is checked. */
function readsPerEvent(events: readonly StoredEvent[]): number {
  let reads = 0;
  const counted = (payload: JsonObject): JsonObject => {
    const { type } = payload;
    return Object.defineProperty({ ...payload }, 'type', { enumerable: true, get: () => ((reads += 1), type) });
  };
  historyProblems(events.map((stored) => ({ ...stored, payload: counted(stored.payload) })));
  return reads / events.length;
}

const repeated = (event: StoredEvent, from: number): StoredEvent[] =>
  Array.from({ length: count }, (_, nth) => ({ ...event, revision: from + nth }));

describe('the events of a receipt are not searched for each of them', () => {
  const approved = () => History.begin().inConversation(opened()).inConversation(decided('approved'), 'user');

  it('for submissions that are repeated', () => {
    const used: OperationEvent = { type: 'operation.used', at: at(70), ...terms() };
    const { events } = approved().inOperation(operationId, used, settledActions(operationId)[0]!);
    expect(readsPerEvent([...events, ...repeated(events.at(-1)!, 2)])).toBeLessThan(readsPerEventMax);
  });

  it('for copies in the conversation', () => {
    const { events } = journeys.settled();
    const [submitted, settled] = events.slice(-2);
    // Without the one that comes first, each other one is compared with all copies.
    const others = [...events.slice(0, -2), ...repeated(settled!, settled!.revision)];
    expect(readsPerEvent(others)).toBeLessThan(readsPerEventMax);
    expect(readsPerEvent([...others, submitted!])).toBeLessThan(readsPerEventMax);
  });

  it('for the events of its authority, and decisions by it', () => {
    const { events } = journeys.covered();
    const [opening, decision, use] = events;
    const own = events.find(({ stream, type }) => type === 'approval.decided' && stream !== decision!.stream)!;
    for (const event of [opening!, decision!, use!, own])
      expect(readsPerEvent([...events, ...repeated(event, 20)])).toBeLessThan(readsPerEventMax);
  });
});

describe('a receipt is refused', () => {
  const receipt = received(journeys.settled().events);

  it('before anything of it is computed, if it has more events than any', () => {
    const events = Array.from({ length: receiptEventsMax + 1 }, () => null);
    expect(verifyReceipt({ ...receipt, events })).toMatchObject({
      holds: false,
      problems: [{ path: '/events', message: 'are more than 10000' }],
    });
    expect(verifyReceipt({ ...receipt, events: events.slice(1) }).problems).toHaveLength(50);
  });

  it('if a contract has more actions than any', () => {
    const { contract } = opened();
    const actions = Array.from({ length: 17 }, () => contract!.actions[0]!);
    const problemsOf = (length: number) => {
      const of = { ...contract!, actions: actions.slice(0, length) };
      return verifyReceipt(received(History.begin().inConversation(opened({ contract: of })).events)).problems;
    };
    expect(problemsOf(16)).toEqual([]);
    expect(problemsOf(17)).toMatchObject([
      { path: '/events', message: 'are not the events of an approval (a contract has no list of a few actions)' },
    ]);
  });
});
