/** Where the log has the events of a receipt: it shows what came first, whatever the receipt's own order and times say. */
import { journeys, received } from '../test/histories';
import { policiesFor, proven } from '../test/proven';
import { verifyReceipt } from './receipt-verifier';
import type { ReceiptEvent } from './receipt.schema';

type Rank = (event: ReceiptEvent) => number;

/** The messages about a receipt whose events came into the log in the order of their ranks. */
function messagesOf(name: keyof typeof journeys, rank: Rank): string[] {
  const given = proven(received(journeys[name]().events), rank);
  const { holds, problems } = verifyReceipt(given.receipt, policiesFor(given).both);
  expect(holds).toBe(problems.length === 0);
  return [...new Set(problems.map(({ message }) => message))];
}

const isOf = (kind: string, { stream }: ReceiptEvent): boolean => stream.startsWith(`${kind}-`);
const early = ['is before what must have come first'];

describe('the places of events in the log', () => {
  it.each(Object.keys(journeys) as (keyof typeof journeys)[])('are those of a %s approval', (name) => {
    expect(messagesOf(name, () => 0)).toEqual([]);
  });

  it('are none where money moved before the approval, or between its opening and its decision', () => {
    for (const name of ['settled', 'covered'] as const) {
      expect(messagesOf(name, (event) => (isOf('operation', event) ? 0 : 1))).toEqual(early);
      const ranks: Rank = (event) => (event.type === 'approval.opened' ? 0 : isOf('operation', event) ? 1 : 2);
      expect(messagesOf(name, ranks)).toEqual(early);
    }
  });

  it('are none where the contract was approved, or used, after the call', () => {
    expect(messagesOf('covered', (event) => (isOf('automation', event) ? 1 : 0))).toEqual(early);
    expect(messagesOf('covered', ({ type }) => (type === 'contract.used' ? 1 : 0))).toEqual(early);
  });

  it('may be those of copies that were made while the operation went on', () => {
    const ranks: Rank = ({ type }) =>
      type === 'operation.submitted' ? 1 : type === 'action.settled' || type === 'operation.settled' ? 2 : 0;
    expect(messagesOf('settled', (event) => (event.type === 'settlement.updated' ? 3 : ranks(event)))).toEqual([]);
  });
});
