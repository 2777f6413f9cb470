import { decodeEvent, idInStream, type StoredEvent } from '@app/event-store';
import { operationKind, type OperationEvent } from '@app/wallets';

type Query = <Row>(text: string) => Promise<Row[]>;

const checks: readonly { readonly what: string; readonly text: string }[] = [
  {
    what: 'a token does not sum to zero',
    text: `SELECT token_id AS found FROM ledger_balances GROUP BY token_id HAVING sum(amount) <> 0`,
  },
  {
    what: 'a balance is not the sum of its transfers',
    text: `SELECT account || ' ' || token_id AS found FROM (
             SELECT to_account AS account, token_id, amount FROM ledger_transfers
             UNION ALL SELECT from_account, token_id, -amount FROM ledger_transfers
             UNION ALL SELECT account, token_id, -amount FROM ledger_balances) AS booked
           GROUP BY account, token_id HAVING sum(amount) <> 0`,
  },
  {
    what: 'an account owes',
    text: `SELECT account AS found FROM ledger_balances WHERE amount < 0 AND account NOT IN ('pool', 'outside')`,
  },
  {
    what: 'an action was taken more than once',
    text: `SELECT regexp_replace(key, '/[0-9]+$', '') AS found FROM sandbox_orders
           WHERE status IN ('accepted', 'settled', 'refunded') GROUP BY 1 HAVING count(*) > 1`,
  },
  { what: 'an order never settled', text: `SELECT key AS found FROM sandbox_orders WHERE status = 'accepted'` },
  {
    what: 'something is still in transit',
    text: `SELECT account AS found FROM ledger_balances WHERE account LIKE 'transit:%' AND amount <> 0`,
  },
];

/** Returns everything that is wrong in the sandbox's books, in words. Nothing may be in flight. */
export async function auditLedger(query: Query): Promise<string[]> {
  const findings: string[] = [];
  for (const { what, text } of checks) {
    findings.push(...(await query<{ found: string }>(text)).map(({ found }) => `${what}: ${found}`));
  }
  return findings;
}

/**
 * Returns everything that is wrong in the operations' streams and their copies: an operation that was used twice, has
 * two outcomes, is stuck, or was confirmed and did not settle, and a settlement that was not copied to its conversation
 * exactly once.
 */
export function auditOperations(events: readonly StoredEvent[], confirmed: readonly string[]): string[] {
  const findings: string[] = [];
  const operations = new Map<string, OperationEvent[]>();
  for (const stored of events) {
    const id = idInStream(operationKind, stored.stream);
    if (id === null) continue;
    const { event } = decodeEvent<OperationEvent>(operationKind, stored);
    operations.set(id, [...(operations.get(id) ?? []), event]);
  }
  for (const [id, history] of operations) {
    const count = (...types: string[]) => history.filter(({ type }) => types.includes(type)).length;
    const uses = count('operation.used', 'operation.confirmed');
    const ends = count('operation.settled', 'operation.failed');
    const told = history.map(({ type }) => type).join(', ');
    if (uses > 1 || ends > 1) findings.push(`doubled: ${id} (${told})`);
    if (uses === 1 && ends === 0) findings.push(`stuck: ${id} (${told})`);
    if (confirmed.includes(id) && count('operation.settled') !== 1) findings.push(`not settled: ${id} (${told})`);
    const settledIndexes = history.flatMap((event) => (event.type === 'action.settled' ? [event.index] : []));
    if (new Set(settledIndexes).size !== settledIndexes.length) findings.push(`settled twice: ${id} (${told})`);
    if (count('operation.used') === 1) findings.push(...auditCopies(id, history, events));
  }
  return [...findings, ...confirmed.filter((id) => !operations.has(id)).map((id) => `lost: ${id}`)];
}

/** Checks that the outcome of an agent's operation was copied to its conversation, once. */
function auditCopies(id: string, history: readonly OperationEvent[], events: readonly StoredEvent[]): string[] {
  const copies = (type: string) => events.filter((one) => one.type === type && one.payload['operationId'] === id);
  const wanted = {
    'operation.submitted': history.some((event) => event.type === 'submission.accepted' && event.index === 0),
    'settlement.updated': history.some(({ type }) => type === 'operation.settled' || type === 'operation.failed'),
  };
  return Object.entries(wanted).flatMap(([type, isWanted]) => {
    const found = copies(type).length;
    return found === Number(isWanted) ? [] : [`${found} copies of ${type} of ${id}`];
  });
}
