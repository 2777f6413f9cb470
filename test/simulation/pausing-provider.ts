import {
  WalletProvider,
  type Holding,
  type OperationEvent,
  type OperationState,
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
import type { SimulatedProvider } from './settlement-provider';
import type { Pause } from './stepwise';

/**
 * The provider's port for one worker: anything may happen before and after each call, and the worker must obey the
 * port's rules.
 */
export class PausingProvider extends WalletProvider {
  override readonly name = 'sandbox';

  /**
   * @param sendable keys that the worker may send: it journaled them itself, or the provider's last answer to it was
   * `never_accepted`
   * @param folded the state on which the worker decides
   */
  constructor(
    private readonly world: { readonly provider: SimulatedProvider; readonly events: readonly OperationEvent[] },
    private readonly pause: Pause,
    private readonly sendable: Set<string>,
    private readonly folded: () => OperationState | null,
  ) {
    super();
  }

  override async connect(): Promise<void> {
    await this.pause();
  }

  override async hasSession(): Promise<boolean> {
    await this.pause();
    return true;
  }

  override async isMainAccount(): Promise<boolean> {
    await this.pause();
    return true;
  }

  override async holdings(): Promise<readonly Holding[]> {
    return this.between(() => this.world.provider.holdings());
  }

  override async tokensCalled(): Promise<readonly Token[]> {
    await this.pause();
    return [];
  }

  override async findToken(tokenId: string): Promise<Token | null> {
    await this.pause();
    return { tokenId, symbol: tokenId, name: tokenId, decimals: 6, priceUsdDecimal: null, iconUrl: null };
  }

  override async plan(order: Order): Promise<Planned> {
    return this.between(() => this.world.provider.plan(order));
  }

  override async submit(_: WalletAccount, submission: Submission): Promise<Submitted> {
    return this.between(() => {
      this.mustBeAllowed(submission);
      this.sendable.delete(submission.key);
      return this.world.provider.submit(submission);
    });
  }

  override async settlement(
    _: WalletAccount,
    submission: Submission,
    revocation: Revocation | null = null,
  ): Promise<Settlement> {
    return this.between(() => {
      const settlement = this.world.provider.settlement(submission, revocation);
      if (settlement.kind === 'never_accepted') this.sendable.add(submission.key);
      else this.sendable.delete(submission.key);
      return settlement;
    });
  }

  override readonly revocations: Revocations = {
    plan: (_, submission) => this.between(() => this.world.provider.planRevocation(submission)),
    send: (_, revocation) =>
      this.between(() => {
        const journaled = this.world.events.some(
          (event) =>
            event.type === 'revocation.journaled' && JSON.stringify(event.revocation) === JSON.stringify(revocation),
        );
        if (!journaled) throw new Error(`${revocation.key} was revoked before that was journaled`);
        return this.world.provider.revoke(revocation);
      }),
  };

  private mustBeAllowed(submission: Submission): void {
    const { key } = submission;
    const journaled = this.world.events.some(
      (event) =>
        event.type === 'submission.journaled' && JSON.stringify(event.submission) === JSON.stringify(submission),
    );
    if (!journaled) throw new Error(`${key} was sent before it was journaled`);
    if (!this.sendable.has(key)) throw new Error(`${key} was sent again before the provider was asked`);
    if (this.folded()?.status === 'unresolved') throw new Error(`${key} was sent while it was unresolved`);
  }

  private async between<Value>(call: () => Value): Promise<Value> {
    await this.pause();
    try {
      return call();
    } finally {
      await this.pause();
    }
  }
}
