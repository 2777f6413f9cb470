import { epochMsOf, instantOf, Unavailable } from '@app/kernel';
import type {
  Order,
  Planned,
  Settlement,
  Submission,
  Submitted,
  TokenAmount,
  WalletAccount,
  WalletProvider,
} from '@app/wallets';
import { randomUUID } from 'node:crypto';
import { ether, newMainAccount, usdc, wNear, type Faults, type ProviderUnderTest } from './harness';

/** The lifetime of an operation: the latest deadline of its submissions. */
export const operationSeconds = 900;
/** The time after which everything has settled in the sandbox and on the loopback. */
export const settledAfterSeconds = 60;
/** The error of every call while the provider does not answer. */
export const providerAway = { constructor: Unavailable, reason: 'provider_unavailable' };

const noFaults: Faults = {
  submit: 'ok',
  settleAfterSeconds: 2,
  down: false,
  sessionRejected: false,
  unpriced: false,
  undescribed: false,
};

/** The setting of the contract's cases: one provider and, for each case, a new wallet with its owner's main account. */
export class Stage<World extends ProviderUnderTest = ProviderUnderTest> {
  private current: { readonly wallet: WalletAccount; readonly owner: string } | null = null;

  private opened: World | null = null;

  /** @param lifeSeconds the time until the latest deadline of an order's submissions */
  constructor(
    private readonly make: () => Promise<World>,
    private readonly lifeSeconds = operationSeconds,
  ) {}

  async open(): Promise<void> {
    this.opened = await this.make();
  }

  async close(): Promise<void> {
    await this.world.stop();
  }

  get world(): World {
    if (this.opened === null) throw new Error('the provider was not opened');
    return this.opened;
  }

  get provider(): WalletProvider {
    return this.world.provider;
  }

  get wallet(): WalletAccount {
    if (this.current === null) throw new Error('no case has begun');
    return this.current.wallet;
  }

  get owner(): string {
    if (this.current === null) throw new Error('no case has begun');
    return this.current.owner;
  }

  async begin(): Promise<void> {
    this.current = { wallet: this.world.newWallet(), owner: newMainAccount() };
    await this.provider.connect(this.wallet);
  }

  /** Resets the faults and audits the books, whatever the case did. */
  async end(): Promise<void> {
    await this.world.setFaults(noFaults);
    for (const tokenId of [usdc, wNear, ether]) await this.world.pinPrice(tokenId, null);
    await this.world.audit();
  }

  async holdings(of = this.wallet): Promise<Record<string, string>> {
    const held = await this.provider.holdings(of);
    return Object.fromEntries(held.map(({ tokenId, amountRaw }) => [tokenId, amountRaw]));
  }

  order(what: Order['order']): Order {
    const latestDeadline = instantOf(epochMsOf(this.world.now()) + this.lifeSeconds * 1000);
    return { wallet: this.wallet, key: `${randomUUID()}/0/1`, attempt: 1, order: what, latestDeadline };
  }

  withdraw(amountRaw: string, tokenId = usdc): Order {
    return this.order({ kind: 'withdraw', input: { tokenId, amountRaw }, mainAccountId: this.owner });
  }

  /** An exact input of USDC for wNEAR. */
  swapUsdc(amountRaw: string): Order {
    return this.order({ kind: 'swap_exact_input', input: { tokenId: usdc, amountRaw }, outputTokenId: wNear });
  }

  /** USDC for an exact output. */
  swapFor(output: TokenAmount, inputMaxRaw: string): Order {
    return this.order({ kind: 'swap_exact_output', inputTokenId: usdc, inputMaxRaw, output });
  }

  async plan(order: Order): Promise<Submission> {
    const planned = await this.provider.plan(order);
    if (!planned.ok) throw new Error(`not planned: ${planned.failure.reason}`);
    return planned.submission;
  }

  /** The reason why an order is not planned, or `planned`. */
  async failureOf(order: Order): Promise<string> {
    const planned: Planned = await this.provider.plan(order);
    return planned.ok ? 'planned' : planned.failure.reason;
  }

  async submit(submission: Submission): Promise<Submitted> {
    return this.provider.submit(this.wallet, submission);
  }

  async settlement(submission: Submission): Promise<Settlement> {
    return this.provider.settlement(this.wallet, submission);
  }
}
