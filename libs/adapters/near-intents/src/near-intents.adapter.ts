import { Injectable } from '@nestjs/common';
import { Clock, epochMsOf, instantOf, Unavailable, unreachable } from '@app/kernel';
import {
  SessionRejected,
  Signer,
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
import { failures } from './failures';
import { publishRequest, readPublishRequest, revocationPayload, transferPayload, type Sent } from './intents';
import { signPayload } from './nep413';
import { encodeNonce, tailOf } from './nonce';
import { offerFor } from './offers';
import { outcomeOf, type Apis } from './outcomes';
import type { Refusal } from './solver-relay';
import { TokenList } from './token-list';

/** Lifetime of signed intents; short, because a refusal is final only after it. */
const submissionTtlMs = 5 * 60 * 1000;
/**
 * How long after a submission's deadline the contract remembers its nonce. Until then an unused nonce proves that the
 * submission was not executed; later the contract may have forgotten. A deployment that was down for less than that can
 * still read its outcomes.
 */
const nonceKeptMs = 24 * 60 * 60 * 1000;

/** Implicit accounts, which need no creation: the holder of the NEAR or Ethereum key can use them. */
const implicitAccount = /^([0-9a-f]{64}|0x[0-9a-f]{40})$/;

/** The specification's maximum lengths for names of assets. */
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

  /** A wallet needs no session of its own; the contract only has to accept its key. */
  override async connect(wallet: WalletAccount): Promise<void> {
    await this.requireSession(wallet);
  }

  override async hasSession({ address }: WalletAccount): Promise<boolean> {
    const { verifier } = this.apis;
    const [isTaken, isLocked] = await Promise.all([
      verifier.hasPublicKey(address, address),
      verifier.isLocked(address),
    ]);
    return isTaken && !isLocked;
  }

  override async isMainAccount(accountId: string): Promise<boolean> {
    return implicitAccount.test(accountId) || this.apis.verifier.accountExists(accountId);
  }

  override async holdings(wallet: WalletAccount): Promise<readonly Holding[]> {
    const [balances, tokens] = await Promise.all([
      this.apis.verifier.balances(wallet.address),
      this.tokens.all(),
      this.requireSession(wallet),
    ]);
    const held = [...balances].filter(([, amountRaw]) => amountRaw !== '0');
    return held.map(([tokenId, amountRaw]) => ({ ...(tokens.get(tokenId) ?? undescribedToken(tokenId)), amountRaw }));
  }

  override async findToken(tokenId: string): Promise<Token | null> {
    return (await this.tokens.all()).get(tokenId) ?? null;
  }

  override tokensCalled(symbol: string): Promise<readonly Token[]> {
    return this.tokens.findBySymbol(symbol);
  }

  override async plan(order: Order): Promise<Planned> {
    const { wallet, key, attempt, latestDeadline } = order;
    if (latestDeadline <= this.clock.now()) return { ok: false, failure: failures.expired };
    await this.requireSession(wallet);
    if (order.order.kind === 'withdraw' && !(await this.isMainAccount(order.order.mainAccountId)))
      return { ok: false, failure: failures.nobody };
    const offer = await offerFor(this.apis, order);
    if ('reason' in offer) return { ok: false, failure: offer };
    const { receiverId, input, output, leastOutput, quote } = offer;
    const deadlineMs = Math.min(epochMsOf(latestDeadline), offer.inactiveAtMs, this.clock.epochMs() + submissionTtlMs);
    const deadline = instantOf(deadlineMs);
    if (deadline <= this.clock.now()) return { ok: false, failure: failures.expired };
    const salt = await this.apis.verifier.currentSalt();
    const nonce = encodeNonce({ salt, expiresAtMs: deadlineMs + nonceKeptMs, tail: tailOf(key) });
    const payload = transferPayload({ signerId: wallet.address, receiverId, ...input, deadline, nonce });
    const bytes = publishRequest(key, await this.sign(wallet, payload));
    return { ok: true, submission: { key, attempt, bytes, input, output, leastOutput, quote, deadline } };
  }

  override async submit(wallet: WalletAccount, submission: Submission): Promise<Submitted> {
    const sent = readSubmission(wallet, submission);
    if (sent === null) return { kind: 'refused', failure: failures.other };
    const published = await this.apis.relay.publish(submission.bytes);
    // A submission refused now may have been accepted when it was sent before.
    if (published.kind !== 'refused' || (await this.relayHas(sent)))
      return { kind: 'accepted', providerReference: sent.intentHash, checkAt: null };
    return refuse(published.why);
  }

  override async settlement(
    wallet: WalletAccount,
    submission: Submission,
    revocation?: Revocation | null,
  ): Promise<Settlement> {
    const sent = readSubmission(wallet, submission);
    const revoking = revocation == null ? null : readSubmission(wallet, revocation);
    if (sent === null || (revocation != null && revoking === null)) return { kind: 'unknown' };
    return outcomeOf(this.apis, submission, sent, revoking);
  }

  /** A refused submission is revoked by an empty intent with the same nonce: the contract executes at most one of the two. */
  override readonly revocations: Revocations = {
    plan: async (wallet, submission) => {
      const sent = readSubmission(wallet, submission);
      if (sent === null || sent.receiverId === null) return null;
      return { key: submission.key, bytes: publishRequest(sent.key, await this.sign(wallet, revocationPayload(sent))) };
    },
    send: async (wallet, revocation) => {
      if (readSubmission(wallet, revocation) !== null) await this.apis.relay.publish(revocation.bytes);
    },
  };

  private async relayHas({ intentHash }: Sent): Promise<boolean> {
    const { kind } = await this.apis.relay.status(intentHash);
    return kind === 'settled' || kind === 'pending';
  }

  /** @throws SessionRejected when the contract no longer accepts the wallet's key */
  private async requireSession(wallet: WalletAccount): Promise<void> {
    if (!(await this.hasSession(wallet))) throw new SessionRejected();
  }

  /** Signs with the wallet's address as the public key, because the address is an implicit account of NEAR. */
  private sign(wallet: WalletAccount, payload: Parameters<typeof signPayload>[0]): ReturnType<typeof signPayload> {
    return signPayload(payload, wallet.address, (bytes) => this.signer.sign(wallet.userId, bytes));
  }
}

/** A token that the contract holds and 1Click does not list. */
function undescribedToken(tokenId: string): Token {
  const [symbol, name] = [tokenId.slice(-symbolLengthMax), tokenId.slice(-nameLengthMax)];
  return { tokenId, symbol, name, decimals: null, priceUsdDecimal: null, iconUrl: null };
}

/** The contents of the bytes, if they are this wallet's for this submission; else null. */
function readSubmission({ address }: WalletAccount, { key, bytes }: Pick<Submission, 'key' | 'bytes'>): Sent | null {
  const sent = readPublishRequest(bytes);
  return sent?.key === key && sent.signerId === address ? sent : null;
}

/**
 * Maps the contract's refusal. @throws SessionRejected if the owner has to act first, Unavailable if only the outcome
 * can show it: a used nonce may be this submission's own.
 */
function refuse(why: Refusal): Submitted {
  switch (why) {
    case 'key_not_accepted':
    case 'account_locked':
      throw new SessionRejected();
    case 'nonce_used':
      throw new Unavailable('wallet provider', { reason: 'provider_unavailable' });
    case 'expired':
      return { kind: 'refused', failure: failures.expired };
    case 'insufficient_balance':
      return { kind: 'refused', failure: failures.insufficient_balance };
    case 'invalid_salt':
    case 'invalid_intent':
      return { kind: 'refused', failure: failures.other };
    default:
      return unreachable(why);
  }
}
