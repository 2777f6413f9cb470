import type { LedgerOrders, LedgerWallets, Market, OrderState, ProviderFaults } from '@app/sandbox';

/** The sandbox's books, on a database of their own, by a clock that the test sets. */
export interface Books {
  readonly clock: { readonly nowMs: number };
  readonly market: Market;
  readonly faults: ProviderFaults;
  readonly wallets: LedgerWallets;
  readonly orders: LedgerOrders;
}

/** The order as it is by now, what is due settled; null where there is none of that key. */
export async function orderByNow({ orders }: Books, key: string): Promise<OrderState | null> {
  const [address = ''] = key.split('/');
  await orders.settleDue(address, { twice: false });
  return orders.find(key);
}
