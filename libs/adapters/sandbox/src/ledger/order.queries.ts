import type { Instant } from '@app/kernel';
import type { Delivered, OperationFailure, TokenAmount } from '@app/wallets';
import { createHash } from 'node:crypto';
import type { Sql } from './ledger';
import { refundOf, type OrderTarget, type Outcome } from './order-outcome';
import type { OrderText } from './signed-order';

/** An order of a wallet; not accepted from its deadline on. */
export interface NewOrder extends OrderText {
  /** The bytes that the owner signed; another order never passes under the same key. */
  readonly bytes: string;
}

/** How the provider handles an order that it could accept. */
export interface Handling {
  readonly refusal: OperationFailure | null;
  readonly outcome: Outcome;
  /** Whether the provider cannot report on it until it has settled. */
  readonly hidden: boolean;
  readonly settlesAt: Instant;
}

/** The state of the order under a key. */
export type OrderState = { readonly address: string; readonly digest: string } & (
  | { readonly status: 'accepted'; readonly reference: string; readonly settlesAt: Instant; readonly hidden: boolean }
  | ({ readonly status: 'settled' | 'refunded'; readonly reference: string } & Delivered)
  | { readonly status: 'rejected'; readonly failure: OperationFailure }
  /** Its deadline passed before it was accepted, and it never will be. */
  | { readonly status: 'never_accepted' }
);

/** The immediate outcome of a submitted order. */
export interface NewStatus {
  readonly name: 'accepted' | 'rejected' | 'never_accepted';
  readonly failure: OperationFailure | null;
}

export interface OrderRow {
  readonly key: string;
  readonly address: string;
  readonly digest: string;
  readonly status: OrderState['status'];
  readonly input_token: string;
  readonly input_amount: string;
  readonly output_token: string | null;
  readonly output_amount: string | null;
  readonly main_account: string | null;
  readonly outcome: Outcome;
  readonly hidden: boolean;
  readonly settles_at: Instant;
  readonly delivered: string | null;
  readonly failure: OperationFailure | null;
}

/** The digest that identifies an order's bytes. */
export function digestOf(bytes: string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** False when the key exists already; waits for an order in flight under the same key. */
export async function insertOrder(sql: Sql, order: NewOrder, handling: Handling, status: NewStatus): Promise<boolean> {
  const { key, address, bytes, input, target } = order;
  const output = target.kind === 'swap' ? target.output : null;
  const mainAccount = target.kind === 'withdraw' ? target.mainAccountId : null;
  const inserted = await sql.query<object>(
    `INSERT INTO sandbox_orders (key, address, digest, status, input_token, input_amount, output_token, output_amount,
       main_account, outcome, hidden, settles_at, failure)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) ON CONFLICT (key) DO NOTHING RETURNING key`,
    [
      key,
      address,
      digestOf(bytes),
      status.name,
      input.tokenId,
      input.amountRaw,
      output?.tokenId ?? null,
      output?.amountRaw ?? null,
      mainAccount,
      handling.outcome,
      handling.hidden,
      handling.settlesAt,
      status.failure === null ? null : JSON.stringify(status.failure),
    ],
  );
  return inserted.length > 0;
}

export async function findOrder(sql: Sql, key: string): Promise<OrderState | null> {
  const [row] = await sql.query<OrderRow>(`SELECT * FROM sandbox_orders WHERE key = $1`, [key]);
  return row === undefined ? null : stateOf(row);
}

function stateOf(row: OrderRow): OrderState {
  const { address, digest, hidden, settles_at: settlesAt, status } = row;
  const reference = `sandbox-${digestOf(row.key).slice(0, 32)}`;
  switch (status) {
    case 'accepted':
      return { address, digest, status, reference, settlesAt, hidden };
    case 'settled':
    case 'refunded':
      return { address, digest, status, reference, output: outputOf(row), returned: refundIn(row) };
    case 'rejected':
      if (row.failure === null) throw new Error(`order ${row.key} was rejected without a reason`);
      return { address, digest, status, failure: row.failure };
    case 'never_accepted':
      return { address, digest, status };
  }
}

/** The delivered amount; not reported for a withdrawal that went through. */
function outputOf({ status, delivered, input_token, output_token }: OrderRow): TokenAmount | null {
  if (delivered === null || (output_token === null && status === 'settled')) return null;
  return { tokenId: output_token ?? input_token, amountRaw: delivered };
}

function refundIn({ status, outcome, input_token, input_amount, delivered }: OrderRow): TokenAmount | null {
  if (status !== 'refunded') return null;
  return refundOf({ outcome, input: { tokenId: input_token, amountRaw: input_amount } }, delivered);
}

export function targetOf(row: OrderRow): OrderTarget {
  if (row.main_account !== null) return { kind: 'withdraw', mainAccountId: row.main_account };
  if (row.output_token === null || row.output_amount === null) throw new Error(`order ${row.key} has no target`);
  return { kind: 'swap', output: { tokenId: row.output_token, amountRaw: row.output_amount } };
}
