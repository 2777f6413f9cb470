import { Injectable } from '@nestjs/common';
import { Clock, epochMsOf, instantOf, Unavailable, unreachable } from '@app/kernel';
import {
  SessionRejected,
  Signer,
  WalletProvider,
  type Holding,
  type OperationFailure,
  type Order,
  type Planned,
  type Settlement,
  type Submission,
  type Submitted,
  type Token,
  type TokenAmount,
  type WalletAccount,
} from '@app/wallets';
import { proofPayload, publishRequest, readPublishRequest, transferPayload, type Sent } from './intents';
import { signed } from './nep413';
import { encodeNonce, tailOf } from './nonce';
import type { OneClick } from './one-click';
import type { SolverRelay } from './solver-relay';
import { TokenList } from './token-list';
import type { FinalBlock, Verifier } from './verifier';

/** The APIs behind which NEAR Intents is. */
export interface Apis {
  readonly verifier: Verifier;
  readonly relay: SolverRelay;
  readonly oneClick: OneClick;
}

/**
 * How long after a submission's deadline the contract keeps its nonce. While it does, an unused nonce proves that the
 * submission was not executed; later the contract may have forgotten.
 */
const nonceKeptMs = 7 * 24 * 60 * 60 * 1000;
/** How long the proof that opens a session can be used. */
const proofTtlMs = 5 * 60 * 1000;

/** The specification's bounds of what assets are called. */
const symbolLengthMax = 64;
const nameLengthMax = 256;

/** NEAR Intents: balances on its verifier contract, transfers through its solver relay, swaps through 1Click. */
@Injectable()
export class NearIntents extends WalletProvider {
  readonly name = 'near-intents';

  constructor(
    private readonly apis: Apis,
    private readonly tokens: TokenList,
    private readonly signer: Signer,
    private readonly clock: Clock,
  ) {
    super();
  }

  /** The session is 1Click's; what it stands for is that the contract takes the wallet's key, so that has the last word. */
  override async connect(wallet: WalletAccount): Promise<void> {
    const deadlineMs = this.clock.epochMs() + proofTtlMs;
    const salt = await this.apis.verifier.currentSalt();
    const nonce = encodeNonce({
      salt,
      expiresAtMs: deadlineMs,
      tail: tailOf(`session/${wallet.walletId}/${deadlineMs}`),
    });
    const payload = proofPayload(wallet.address, instantOf(deadlineMs), nonce);
    const taken = await this.apis.oneClick.authenticate(await this.sign(wallet, payload));
    const accepted = taken && (await this.apis.verifier.hasPublicKey(wallet.address, wallet.address));
    if (!accepted) throw new Unavailable('wallet provider', { reason: 'provider_unavailable' });
  }

  override async holdings(wallet: WalletAccount): Promise<readonly Holding[]> {
    const [balances] = await Promise.all([this.apis.verifier.balances(wallet.address), this.requireSession(wallet)]);
    const held = [...balances].filter(([, amountRaw]) => amountRaw !== '0');
    return Promise.all(held.map(async ([tokenId, amountRaw]) => ({ ...(await this.described(tokenId)), amountRaw })));
  }

  override findToken(by: { readonly tokenId: string } | { readonly symbol: string }): Promise<Token | null> {
    return 'tokenId' in by ? this.tokens.byId(by.tokenId) : this.tokens.bySymbol(by.symbol);
  }

  override async plan({ wallet, key, attempt, order, latestDeadline }: Order): Promise<Planned> {
    if (latestDeadline <= this.clock.now()) return { ok: false, failure: failures.expired };
    await this.requireSession(wallet);
    const offer = await this.offerFor(wallet, order, latestDeadline);
    if (!('receiverId' in offer)) return { ok: false, failure: offer };
    const { receiverId, input, output } = offer;
    const failure = await this.unaffordable(wallet, input);
    if (failure !== null) return { ok: false, failure };
    const salt = await this.apis.verifier.currentSalt();
    const deadlineMs = Math.min(epochMsOf(latestDeadline), offer.inactiveAtMs);
    const deadline = instantOf(deadlineMs);
    const nonce = encodeNonce({ salt, expiresAtMs: deadlineMs + nonceKeptMs, tail: tailOf(key) });
    const payload = transferPayload({ signerId: wallet.address, receiverId, ...input, deadline, nonce });
    const bytes = publishRequest(key, await this.sign(wallet, payload));
    return { ok: true, submission: { key, attempt, bytes, input, output, deadline } };
  }

  override async submit(wallet: WalletAccount, submission: Submission): Promise<Submitted> {
    const sent = sentBy(wallet, submission);
    if (sent === null) return { kind: 'rejected', failure: failures.other };
    const published = await this.apis.relay.publish(submission.bytes);
    if (published.kind === 'refused' && !(await this.wasTaken(wallet, sent))) {
      if (published.why === 'key_not_accepted') throw new SessionRejected();
      return { kind: 'rejected', failure: failures[published.why] };
    }
    return { kind: 'accepted', providerReference: sent.intentHash, checkAt: null };
  }

  override async settlement(wallet: WalletAccount, submission: Submission): Promise<Settlement> {
    const sent = sentBy(wallet, submission);
    if (sent === null) return { kind: 'unknown' };
    await this.requireSession(wallet);
    const { verifier, relay } = this.apis;
    const [known, block] = await Promise.all([relay.status(sent.intentHash), verifier.finalBlock()]);
    const transactionHash = known.kind === 'settled' ? known.transactionHash : null;
    if (known.kind === 'settled' || (await verifier.isNonceUsed(wallet.address, sent.nonceText, block)))
      return this.outcome(wallet, submission, sent, transactionHash);
    return this.notExecuted(sent, known.kind, block);
  }

  /** What a transfer comes to that the contract has not executed up to that block. */
  private async notExecuted(
    sent: Sent,
    known: 'pending' | 'failed' | 'not_found',
    block: FinalBlock,
  ): Promise<Settlement> {
    const { intentHash: providerReference, nonce, deadline } = sent;
    const mayStillBe = block.epochMs <= epochMsOf(deadline);
    if (known === 'pending') return { kind: 'pending', providerReference, checkAt: null };
    if (mayStillBe)
      return known === 'failed'
        ? { kind: 'pending', providerReference, checkAt: deadline }
        : { kind: 'never_accepted' };
    // An unused nonce proves something only while the contract would remember a used one.
    const remembered = block.epochMs <= nonce.expiresAtMs && (await this.apis.verifier.isSaltValid(nonce.salt, block));
    if (!remembered) return { kind: 'unknown' };
    return known === 'failed' ? { kind: 'failed', failure: failures.other } : { kind: 'never_accepted' };
  }

  /** What became of an executed transfer. */
  private async outcome(
    wallet: WalletAccount,
    { output: expected }: Submission,
    { intentHash: providerReference, receiverId }: Sent,
    transactionHash: string | null,
  ): Promise<Settlement> {
    if (expected === null) return { kind: 'settled', providerReference, output: null };
    const swap = await this.apis.oneClick.swap(receiverId);
    if (swap === null) return { kind: 'unknown' };
    const delivered = swap.amountOut !== null && swap.amountOut !== '0';
    const output = delivered ? { tokenId: expected.tokenId, amountRaw: swap.amountOut } : null;
    switch (swap.status) {
      case 'success':
        return { kind: 'settled', providerReference, output };
      case 'refunded':
        return { kind: 'refunded', providerReference, output };
      case 'failed': // neither delivered nor given back: people at 1Click look into it
        return { kind: 'unknown' };
      case 'awaiting_deposit':
        if (transactionHash !== null)
          await this.apis.oneClick.announceDeposit(receiverId, transactionHash, wallet.address);
        return { kind: 'pending', providerReference, checkAt: null };
      case 'under_way':
        return { kind: 'pending', providerReference, checkAt: null };
      default:
        return unreachable(swap.status);
    }
  }

  /** Whether bytes that are refused now were taken when they were sent before. */
  private async wasTaken(wallet: WalletAccount, sent: Sent): Promise<boolean> {
    const [known, block] = await Promise.all([
      this.apis.relay.status(sent.intentHash),
      this.apis.verifier.finalBlock(),
    ]);
    return known.kind !== 'not_found' || this.apis.verifier.isNonceUsed(wallet.address, sent.nonceText, block);
  }

  private async offerFor(
    wallet: WalletAccount,
    order: Order['order'],
    deadline: Order['latestDeadline'],
  ): Promise<Offer | OperationFailure> {
    if (order.kind === 'withdraw')
      return { receiverId: order.mainAccountId, input: order.input, output: null, inactiveAtMs: Infinity };
    const exactInput = order.kind === 'swap_exact_input';
    const originAsset = exactInput ? order.input.tokenId : order.inputTokenId;
    const destinationAsset = exactInput ? order.outputTokenId : order.output.tokenId;
    const quote = await this.apis.oneClick.quote({
      swapType: exactInput ? 'EXACT_INPUT' : 'EXACT_OUTPUT',
      originAsset,
      destinationAsset,
      amount: exactInput ? order.input.amountRaw : order.output.amountRaw,
      accountId: wallet.address,
      deadline,
    });
    if (quote === null) return failures.no_quote;
    const input = { tokenId: originAsset, amountRaw: quote.amountIn };
    const output = { tokenId: destinationAsset, amountRaw: quote.amountOut };
    if (exactInput ? quote.amountIn !== order.input.amountRaw : BigInt(quote.amountIn) > BigInt(order.inputMaxRaw))
      return exactInput ? failures.no_quote : failures.insufficient_balance;
    return { receiverId: quote.depositAddress, input, output, inactiveAtMs: quote.inactiveAtMs };
  }

  /** Why the wallet cannot pay that, if it cannot: the relay would refuse it only once it is journaled and sent. */
  private async unaffordable(
    wallet: WalletAccount,
    { tokenId, amountRaw }: TokenAmount,
  ): Promise<OperationFailure | null> {
    if (amountRaw === '0') return failures.nothing;
    const balance = await this.apis.verifier.balance(wallet.address, tokenId);
    return BigInt(amountRaw) > BigInt(balance) ? failures.insufficient_balance : null;
  }

  private async described(tokenId: string): Promise<Token> {
    const token = await this.tokens.byId(tokenId);
    if (token !== null) return token;
    const [symbol, name] = [tokenId.slice(-symbolLengthMax), tokenId.slice(-nameLengthMax)];
    return { tokenId, symbol, name, decimals: null, priceUsdDecimal: null, iconUrl: null };
  }

  /** @throws SessionRejected when the contract does not take the wallet's key any more */
  private async requireSession(wallet: WalletAccount): Promise<void> {
    if (!(await this.apis.verifier.hasPublicKey(wallet.address, wallet.address))) throw new SessionRejected();
  }

  /** A wallet's address is its public key (an implicit account of NEAR). */
  private sign(wallet: WalletAccount, payload: Parameters<typeof signed>[0]): ReturnType<typeof signed> {
    return signed(payload, wallet.address, (bytes) => this.signer.sign(wallet.userId, bytes));
  }
}

/** What is in the bytes, if they are this submission of this wallet. */
function sentBy({ address }: WalletAccount, { key, bytes }: Submission): Sent | null {
  const sent = readPublishRequest(bytes);
  return sent?.key === key && sent.signerId === address ? sent : null;
}

/** What an order comes to: a transfer to somebody. */
interface Offer extends Pick<Submission, 'input' | 'output'> {
  readonly receiverId: string;
  readonly inactiveAtMs: number;
}

/** What a partner may read; the provider's own words stay in the log. */
const failures = {
  expired: { reason: 'quote_expired', text: 'The offer expired before it was taken.' },
  insufficient_balance: { reason: 'insufficient_balance', text: 'The wallet does not hold enough.' },
  nothing: { reason: 'provider_rejected', text: 'The amount is too small to be moved.' },
  no_quote: { reason: 'provider_rejected', text: 'The provider makes no offer for this swap.' },
  key_not_accepted: { reason: 'provider_rejected', text: 'The provider did not take it.' },
  other: { reason: 'provider_rejected', text: 'The provider did not take it.' },
} as const satisfies Record<string, OperationFailure>;
