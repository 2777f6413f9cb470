import {
  WalletProvider,
  type Holding,
  type Order,
  type Planned,
  type Revocation,
  type Revocations,
  type Settlement,
  type Submission,
  type Submitted,
  type Token,
  type WalletAccount,
} from '@app/wallets';

/** Ends the worker that makes the call. */
export class Death extends Error {}

/** A provider that calls `meddle`, which may do anything, before and after each call. */
export class MeddledProvider extends WalletProvider {
  override readonly name = 'near-intents';

  constructor(
    private readonly real: WalletProvider,
    private readonly meddle: () => Promise<void>,
  ) {
    super();
  }

  override connect(wallet: WalletAccount): Promise<void> {
    return this.between(() => this.real.connect(wallet));
  }

  override hasSession(wallet: WalletAccount): Promise<boolean> {
    return this.between(() => this.real.hasSession(wallet));
  }

  override isMainAccount(accountId: string): Promise<boolean> {
    return this.between(() => this.real.isMainAccount(accountId));
  }

  override holdings(wallet: WalletAccount): Promise<readonly Holding[]> {
    return this.between(() => this.real.holdings(wallet));
  }

  override findToken(tokenId: string): Promise<Token | null> {
    return this.between(() => this.real.findToken(tokenId));
  }

  override tokensCalled(symbol: string): Promise<readonly Token[]> {
    return this.between(() => this.real.tokensCalled(symbol));
  }

  override plan(order: Order): Promise<Planned> {
    return this.between(() => this.real.plan(order));
  }

  override submit(wallet: WalletAccount, submission: Submission): Promise<Submitted> {
    return this.between(() => this.real.submit(wallet, submission));
  }

  override settlement(
    wallet: WalletAccount,
    submission: Submission,
    revocation?: Revocation | null,
  ): Promise<Settlement> {
    return this.between(() => this.real.settlement(wallet, submission, revocation));
  }

  override readonly revocations: Revocations = {
    plan: (wallet, submission) =>
      this.between(async () => (await this.real.revocations?.plan(wallet, submission)) ?? null),
    send: (wallet, revocation) => this.between(async () => this.real.revocations?.send(wallet, revocation)),
  };

  private async between<Value>(call: () => Promise<Value>): Promise<Value> {
    await this.meddle();
    const value = await call();
    await this.meddle();
    return value;
  }
}
