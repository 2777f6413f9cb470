import { sql } from '../e2e/journeys';
import type { Deployment } from '../support/deployment';

/** Everything in the sandbox's books that must not be, in words, once nothing is under way. */
export async function auditMoney(deployment: Deployment): Promise<string[]> {
  return auditLedger((text) => sql(deployment, text));
}

type Query = <Row>(text: string) => Promise<Row[]>;

const checks: readonly { readonly what: string; readonly text: string }[] = [
  {
    what: 'a token does not sum to zero',
    text: `SELECT token_id AS found FROM ledger_balances GROUP BY token_id HAVING sum(amount) <> 0`,
  },
  {
    what: 'a balance is not what its transfers come to',
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

/** The same, asked of any database. */
export async function auditLedger(query: Query): Promise<string[]> {
  const findings: string[] = [];
  for (const { what, text } of checks) {
    findings.push(...(await query<{ found: string }>(text)).map(({ found }) => `${what}: ${found}`));
  }
  return findings;
}
