import { Injectable } from '@nestjs/common';
import { Clock, epochMsOf, instantOf } from '@app/kernel';
import {
  SessionRejected,
  Signer,
  WalletProvider,
  type Holding,
  type Order,
  type Planned,
  type Settlement,
  type Submission,
  type Submitted,
  type Token,
  type WalletAccount,
} from '@app/wallets';
import { failures } from './failures';
import { proofPayload, publishRequest, readPublishRequest, transferPayload, type Sent } from './intents';
import { signed } from './nep413';
import { encodeNonce, tailOf } from './nonce';
import { offerFor } from './offers';
import { outcomeOf, standingOf, type Apis } from './outcomes';
import { TokenList } from './token-list';

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
    if (!accepted) throw new SessionRejected();
  }

  override async hasSession({ address }: WalletAccount): Promise<boolean> {
    return this.apis.verifier.hasPublicKey(address, address);
  }

  override async holdings(wallet: WalletAccount): Promise<readonly Holding[]> {
    const [balances, tokens] = await Promise.all([
      this.apis.verifier.balances(wallet.address),
      this.tokens.all(),
      this.requireSession(wallet),
    ]);
    const held = [...balances].filter(([, amountRaw]) => amountRaw !== '0');
    return held.map(([tokenId, amountRaw]) => ({ ...(tokens.get(tokenId) ?? undescribed(tokenId)), amountRaw }));
  }

  override async findToken(by: { readonly tokenId: string } | { readonly symbol: string }): Promise<Token | null> {
    if ('symbol' in by) return this.tokens.bySymbol(by.symbol);
    return (await this.tokens.all()).get(by.tokenId) ?? null;
  }

  override async plan(order: Order): Promise<Planned> {
    const { wallet, key, attempt, latestDeadline } = order;
    if (latestDeadline <= this.clock.now()) return { ok: false, failure: failures.expired };
    await this.requireSession(wallet);
    const offer = await offerFor(this.apis, order);
    if ('reason' in offer) return { ok: false, failure: offer };
    const { receiverId, input, output } = offer;
    const deadlineMs = Math.min(epochMsOf(latestDeadline), offer.inactiveAtMs);
    const deadline = instantOf(deadlineMs);
    const salt = await this.apis.verifier.currentSalt();
    const nonce = encodeNonce({ salt, expiresAtMs: deadlineMs + nonceKeptMs, tail: tailOf(key) });
    const payload = transferPayload({ signerId: wallet.address, receiverId, ...input, deadline, nonce });
    const bytes = publishRequest(key, await this.sign(wallet, payload));
    return { ok: true, submission: { key, attempt, bytes, input, output, deadline } };
  }

  override async submit(wallet: WalletAccount, submission: Submission): Promise<Submitted> {
    const sent = sentBy(wallet, submission);
    if (sent === null) return { kind: 'rejected', failure: failures.other };
    const published = await this.apis.relay.publish(submission.bytes);
    // What is refused now may have been taken when it was sent before.
    if (published.kind === 'refused' && !(await this.wasTaken(sent))) {
      if (published.why === 'key_not_accepted') throw new SessionRejected();
      return { kind: 'rejected', failure: failures[published.why] };
    }
    return { kind: 'accepted', providerReference: sent.intentHash, checkAt: null };
  }

  override async settlement(wallet: WalletAccount, submission: Submission): Promise<Settlement> {
    const sent = sentBy(wallet, submission);
    if (sent === null) return { kind: 'unknown' };
    await this.requireSession(wallet);
    return outcomeOf(this.apis, submission, sent);
  }

  private async wasTaken(sent: Sent): Promise<boolean> {
    const { executed, relay } = await standingOf(this.apis, sent);
    return executed || relay.kind !== 'not_found';
  }

  /** @throws SessionRejected when the contract does not take the wallet's key any more */
  private async requireSession(wallet: WalletAccount): Promise<void> {
    if (!(await this.hasSession(wallet))) throw new SessionRejected();
  }

  /** A wallet's address is its public key (an implicit account of NEAR). */
  private sign(wallet: WalletAccount, payload: Parameters<typeof signed>[0]): ReturnType<typeof signed> {
    return signed(payload, wallet.address, (bytes) => this.signer.sign(wallet.userId, bytes));
  }
}

/** A token that the contract holds and 1Click does not know. */
function undescribed(tokenId: string): Token {
  const [symbol, name] = [tokenId.slice(-symbolLengthMax), tokenId.slice(-nameLengthMax)];
  return { tokenId, symbol, name, decimals: null, priceUsdDecimal: null, iconUrl: null };
}

/** What is in the bytes, if they are this submission of this wallet. */
function sentBy({ address }: WalletAccount, { key, bytes }: Submission): Sent | null {
  const sent = readPublishRequest(bytes);
  return sent?.key === key && sent.signerId === address ? sent : null;
}
