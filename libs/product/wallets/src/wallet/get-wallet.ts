import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { notFound, ok, refuse, type Result, type UserId } from '@app/kernel';
import type { WalletState } from './wallet.decider';
import { Wallets } from './wallets';

/** Returns the user's wallet as of now; refuses with `not_found` before the first `EnsureWallet`. @throws Unavailable */
export class GetWallet extends Query<Result<WalletState>> {
  constructor(readonly userId: UserId) {
    super();
  }
}

@QueryHandler(GetWallet)
export class GetWalletHandler implements IQueryHandler<GetWallet> {
  constructor(private readonly wallets: Wallets) {}

  async execute({ userId }: GetWallet): Promise<Result<WalletState>> {
    const wallet = await this.wallets.find(userId);
    return wallet === null ? refuse(notFound) : ok(wallet);
  }
}
