import type { TokenAmount } from '@app/wallets';
import type { LedgerAccount, Transfer } from './ledger';

/** Where an order's input goes. */
export type OrderTarget =
  | { readonly kind: 'withdraw'; readonly mainAccountId: string }
  | { readonly kind: 'swap'; readonly output: TokenAmount };

/** What becomes of an order once it was taken: all is delivered, or all comes back, or half and half. */
export type Outcome = 'deliver' | 'refund' | 'partial';

interface SettlingOrder {
  readonly key: string;
  readonly address: string;
  readonly input: TokenAmount;
  readonly target: OrderTarget;
  readonly outcome: Outcome;
}

interface Settling {
  readonly transfers: readonly Transfer[];
  readonly status: 'settled' | 'refunded';
  /** What the target got, in its own unit; null when nothing. */
  readonly delivered: string | null;
}

/** What comes back of an order's input that was refunded. */
export function refundOf(
  { outcome, input }: Pick<SettlingOrder, 'outcome' | 'input'>,
  delivered: string | null,
): TokenAmount {
  const half = BigInt(input.amountRaw) / 2n;
  const kept = outcome === 'refund' || delivered === null ? 0n : half;
  return { tokenId: input.tokenId, amountRaw: (BigInt(input.amountRaw) - kept).toString() };
}

/** What an order moves when it settles. Together its transfers take exactly the input out of transit. */
export function transfersAtSettlement(order: SettlingOrder): Settling {
  const { target, outcome } = order;
  const input = BigInt(order.input.amountRaw);
  const output = target.kind === 'swap' ? BigInt(target.output.amountRaw) : input;
  const [spent, delivered] = outcome === 'deliver' ? [input, output] : [input / 2n, output / 2n];
  // A half of the least amount is none.
  if (outcome === 'refund' || spent === 0n || delivered === 0n) {
    return { transfers: [returnTransfer(order, input)], status: 'refunded', delivered: null };
  }
  const transfers = deliveryTransfers(order, spent, delivered);
  if (outcome === 'deliver') return { transfers, status: 'settled', delivered: delivered.toString() };
  return {
    transfers: [...transfers, returnTransfer(order, input - spent)],
    status: 'refunded',
    delivered: delivered.toString(),
  };
}

function deliveryTransfers(
  { key, address, input, target }: SettlingOrder,
  spent: bigint,
  delivered: bigint,
): Transfer[] {
  const to: LedgerAccount = target.kind === 'withdraw' ? `main:${target.mainAccountId}` : 'pool';
  const paid: Transfer = {
    key: `${key}/pay`,
    from: `transit:${address}`,
    to,
    tokenId: input.tokenId,
    amountRaw: spent.toString(),
  };
  if (target.kind === 'withdraw') return [paid];
  const { tokenId } = target.output;
  const delivery: Transfer = {
    key: `${key}/deliver`,
    from: 'pool',
    to: `wallet:${address}`,
    tokenId,
    amountRaw: delivered.toString(),
  };
  return [paid, delivery];
}

function returnTransfer({ key, address, input }: SettlingOrder, amount: bigint): Transfer {
  return {
    key: `${key}/return`,
    from: `transit:${address}`,
    to: `wallet:${address}`,
    tokenId: input.tokenId,
    amountRaw: amount.toString(),
  };
}
