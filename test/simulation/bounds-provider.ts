import { Unavailable, words, type Instant } from '@app/kernel';
import {
  WalletProvider,
  type Holding,
  type Order,
  type Planned,
  type Settlement,
  type Submission,
  type Submitted,
  type Token,
} from '@app/wallets';
import type { BoundsWorld, Effect, Market } from './bounds-world';
import type { Pause } from './stepwise';

/** The provider's port for one driver: anything may happen before and after each call. */
export class BoundsProvider extends WalletProvider {
  override readonly name = 'sandbox';
  /** The prices and the instant of this driver's last read of the balances, which is when amounts are chosen. */
  seen: Market | null = null;

  constructor(
    private readonly world: BoundsWorld,
    private readonly pause: Pause,
  ) {
    super();
  }

  override connect = (): Promise<void> => this.pause();
  override hasSession = async (): Promise<boolean> => true;
  override isMainAccount = async (): Promise<boolean> => true;
  override tokensCalled = async (): Promise<readonly Token[]> => [];
  override holdings = async (): Promise<readonly Holding[]> => this.between(() => this.world.holdings());
  override findToken = async (tokenId: string): Promise<Token | null> => this.between(() => this.world.token(tokenId));

  override async plan({ key, attempt, order, latestDeadline }: Order): Promise<Planned> {
    return this.between(() => {
      const input = 'input' in order ? order.input : this.world.priced(order);
      if (input === null) return { ok: false, failure: { reason: 'insufficient_balance', text: words`No.` } };
      const wanted = order.kind === 'swap_exact_output' ? order.output : null;
      const output = order.kind === 'swap_exact_input' ? this.world.bought(input, order.outputTokenId) : wanted;
      const bytes = `${key}@${this.world.keep(this.seen)}`;
      const promised = { output, leastOutput: output, quote: null };
      return { ok: true, submission: { key, attempt, bytes, input, ...promised, deadline: latestDeadline } };
    });
  }

  override async submit(_: unknown, submission: Submission): Promise<Submitted> {
    return this.between(() => {
      const chance = this.world.random();
      if (chance < 0.05) throw away();
      const effect = this.world.take(submission);
      if (chance < 0.15) throw away();
      if (effect === null) return { kind: 'rejected', failure: { reason: 'insufficient_balance', text: words`No.` } };
      return { kind: 'accepted', providerReference: `ref-${submission.key}`, checkAt: null };
    });
  }

  override async settlement(_: unknown, submission: Submission): Promise<Settlement> {
    return this.between(() => settlementOf(this.world.effects.get(submission.key), submission, this.world.now()));
  }

  private async between<Value>(call: () => Value): Promise<Value> {
    await this.pause();
    if (this.world.random() < 0.03) throw away();
    const value = call();
    await this.pause();
    return value;
  }
}

function settlementOf(effect: Effect | undefined, { deadline, key }: Submission, now: Instant): Settlement {
  if (effect === undefined) return { kind: 'never_accepted', isFinal: now >= deadline };
  const providerReference = `ref-${key}`;
  if (effect.end === null) return { kind: 'pending', providerReference, checkAt: null };
  return { kind: effect.end, providerReference, output: effect.output, returned: effect.returned };
}

function away(): Unavailable {
  return new Unavailable('wallet provider', { reason: 'provider_unavailable' });
}
