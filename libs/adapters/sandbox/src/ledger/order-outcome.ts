import type { TokenAmount } from '@app/wallets';
import type { LedgerAccount, Transfer } from './ledger';

/** The destination of an order's input. */
export type OrderTarget =
  | { readonly kind: 'withdraw'; readonly mainAccountId: string }
  | { readonly kind: 'swap'; readonly output: TokenAmount };

/** The outcome of an accepted order: everything is delivered, everything is returned, or half and half. */
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
  /** The amount that the target got, in its own unit; null if none. */
  readonly delivered: string | null;
}

/** The returned part of a refunded order's input. */
export function refundOf(
  { outcome, input }: Pick<SettlingOrder, 'outcome' | 'input'>,
  delivered: string | null,
): TokenAmount {
  const half = BigInt(input.amountRaw) / 2n;
  const kept = outcome === 'refund' || delivered === null ? 0n : half;
  return amountOf(input, BigInt(input.amountRaw) - kept);
}

/** The transfers of an order when it settles. Together they take exactly the input out of transit. */
export function transfersAtSettlement(order: SettlingOrder): Settling {
  const { target, outcome } = order;
  const input = BigInt(order.input.amountRaw);
  const output = target.kind === 'swap' ? BigInt(target.output.amountRaw) : input;
  const [spent, delivered] = outcome === 'deliver' ? [input, output] : [input / 2n, output / 2n];
  // Half of the smallest amount is zero.
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

function deliveryTransfers(order: SettlingOrder, spent: bigint, delivered: bigint): Transfer[] {
  const { key, address, input, target } = order;
  const from: LedgerAccount = `transit:${address}`;
  const to: LedgerAccount = target.kind === 'withdraw' ? `main:${target.mainAccountId}` : 'pool';
  const paid: Transfer = { key: `${key}/pay`, from, to, ...amountOf(input, spent) };
  if (target.kind === 'withdraw') return [paid];
  const delivery = amountOf(target.output, delivered);
  return [paid, { key: `${key}/deliver`, from: 'pool', to: `wallet:${address}`, ...delivery }];
}

function returnTransfer({ key, address, input }: SettlingOrder, amount: bigint): Transfer {
  return { key: `${key}/return`, from: `transit:${address}`, to: `wallet:${address}`, ...amountOf(input, amount) };
}

/** So much of a token. */
function amountOf({ tokenId }: TokenAmount, amount: bigint): TokenAmount {
  return { tokenId, amountRaw: amount.toString() };
}
