import type { LedgerOrders, LedgerWallets, Market, OrderState, ProviderFaults } from '@app/sandbox';

/** The sandbox's books, on a database of their own, with a clock that the test sets. */
export interface Books {
  readonly clock: { readonly nowMs: number };
  readonly market: Market;
  readonly faults: ProviderFaults;
  readonly wallets: LedgerWallets;
  readonly orders: LedgerOrders;
}

/** Settles orders that are due, and returns the order as it is then; null if none has that key. */
export async function orderByNow({ orders }: Books, key: string): Promise<OrderState | null> {
  const [address = ''] = key.split('/');
  await orders.settleDue(address, { twice: false });
  return orders.find(key);
}
