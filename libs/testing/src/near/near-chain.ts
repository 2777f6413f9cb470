import { instantOf, type UserId } from '@app/kernel';
import {
  planned,
  quoteStands,
  type Handling,
  type LedgerOrders,
  type LedgerWallets,
  type Market,
  type NewOrder,
  type OrderState,
  type ProviderFaults,
  type SubmitFault,
} from '@app/sandbox';
import type { Order, TokenAmount } from '@app/wallets';
import { createHash, randomBytes } from 'node:crypto';
import { base58, nonceParts, payloadDigest, signerOf, type WireSigned } from './near-signatures';

/** What the relay answers to an intent; the reasons are the contract's words. */
export type PublishAnswer =
  | { readonly status: 'OK'; readonly intent_hash: string }
  | { readonly status: 'FAILED'; readonly reason: string; readonly intent_hash: string };

/** The books behind it, on a database of their own, by a clock that the test sets. */
interface Books {
  readonly clock: { readonly nowMs: number };
  readonly market: Market;
  readonly faults: ProviderFaults;
  readonly wallets: LedgerWallets;
  readonly orders: LedgerOrders;
}

interface Message {
  readonly signer_id: string;
  readonly deadline: string;
  readonly intents: readonly {
    readonly intent: string;
    readonly receiver_id: string;
    readonly tokens: Readonly<Record<string, string>>;
  }[];
}

interface Offered {
  readonly input: TokenAmount;
  readonly output: TokenAmount;
  /** Of the order that paid for it, once there is one. */
  orderKey: string | null;
}

const quoteTtlMs = 120_000;
const unlimited = { get: () => 10n ** 39n } as unknown as ReadonlyMap<string, bigint>;

/**
 * The verifier contract, the relay's queue and 1Click's book, on the sandbox's ledger and with its faults.
 *
 * Source: docs.near-intents.org, "Verifier" (salts, nonces, deadlines, what it says to a wrong one), "Message Bus" (statuses) and
 * "1Click API", "Swap Statuses".
 */
export class NearChain {
  /** The salts that the contract takes; the last one is the current one. */
  readonly salts = [randomBytes(4).toString('hex')];
  private readonly offers = new Map<string, Offered>();
  /** Of each intent that the relay was given and took. */
  private readonly orderKeys = new Map<string, string>();

  constructor(
    readonly ledger: Books,
    private readonly userOf: (address: string) => UserId,
  ) {}

  get nowMs(): number {
    return this.ledger.clock.nowMs;
  }

  async fault(): Promise<SubmitFault> {
    return (await this.ledger.faults.current()).submit;
  }

  /** 1Click opens a session for whoever proves to hold the key. */
  async authenticate(signed: WireSigned): Promise<boolean> {
    const signer = signerOf(signed);
    const { signer_id: address, deadline } = messageOf(signed);
    if (signer === null || signer !== address || this.wrongWith(signed, deadline) !== null) return false;
    await this.ledger.wallets.open(address, this.userOf(address));
    return true;
  }

  /** Whether the contract takes the account's own key. */
  async takesKey(address: string, publicKey: string): Promise<boolean> {
    const own = publicKey === `ed25519:${base58(Buffer.from(address, 'hex'))}`;
    return own && (await this.ledger.wallets.session(address)) === 'good';
  }

  async publish(signed: WireSigned, bytes: string): Promise<PublishAnswer> {
    const intentHash = base58(payloadDigest(signed));
    const failed = (reason: string): PublishAnswer => ({ status: 'FAILED', reason, intent_hash: intentHash });
    const message = messageOf(signed);
    const [intent] = message.intents;
    if (signerOf(signed) === null) return failed('invalid signature');
    if (signerOf(signed) !== message.signer_id) return failed("public key doesn't exist for this account");
    if (!(await this.takesOwnKey(message.signer_id))) return failed("public key doesn't exist for this account");
    if (intent?.intent !== 'transfer' || signed.payload.recipient !== 'intents.near') return failed('invalid intent');
    const key = orderKeyOf(message.signer_id, signed.payload.nonce);
    const before = await this.ledger.orders.find(key);
    if (before !== null && isTaken(before)) {
      const same = before.digest === createHash('sha256').update(bytes).digest('hex');
      return failed(same ? 'already processed' : 'nonce was already used');
    }
    const wrong = this.wrongWith(signed, message.deadline);
    if (wrong !== null) return failed(wrong);
    const order = this.orderFor(key, bytes, message, intent);
    const state = await this.ledger.orders.submit(order, await this.handling(order));
    if (!isTaken(state)) return failed(reasonOf(state));
    this.orderKeys.set(intentHash, key);
    const offer = this.offers.get(intent.receiver_id);
    if (offer !== undefined) offer.orderKey = key;
    return { status: 'OK', intent_hash: intentHash };
  }

  async relayStatus(intentHash: string): Promise<object> {
    const key = this.orderKeys.get(intentHash);
    const state = key === undefined ? null : await this.settled(key);
    const transaction = { hash: base58(createHash('sha256').update(intentHash).digest()) };
    if (key === undefined || state === null || !isTaken(state))
      return { intent_hash: intentHash, status: 'NOT_FOUND_OR_NOT_VALID' };
    if (state.status === 'accepted' && !this.isSwap(key)) return { intent_hash: intentHash, status: 'PENDING' };
    return { intent_hash: intentHash, status: 'SETTLED', data: transaction };
  }

  /** A swap's transfer is done as soon as the relay has it; a withdrawal is done when the ledger settles it. */
  async isNonceUsed(address: string, nonce: string): Promise<boolean> {
    const key = orderKeyOf(address, nonce);
    const state = await this.settled(key);
    return state !== null && isTaken(state) && (state.status !== 'accepted' || this.isSwap(key));
  }

  /** An offer with its deposit address, or null when the market makes none. */
  async quote(request: Readonly<Record<string, string>>): Promise<object | null> {
    const { originAsset = '', destinationAsset = '', amount = '', swapType } = request;
    const order: Order['order'] =
      swapType === 'EXACT_INPUT'
        ? {
            kind: 'swap_exact_input',
            input: { tokenId: originAsset, amountRaw: amount },
            outputTokenId: destinationAsset,
          }
        : {
            kind: 'swap_exact_output',
            inputTokenId: originAsset,
            inputMaxRaw: String(10n ** 39n),
            output: { tokenId: destinationAsset, amountRaw: amount },
          };
    const { tokens } = await this.ledger.market.look();
    const terms = planned(order, tokens, unlimited);
    if ('failure' in terms || terms.target.kind === 'withdraw') return null;
    const { input, target } = terms;
    const depositAddress = randomBytes(32).toString('hex');
    this.offers.set(depositAddress, { input, output: target.output, orderKey: null });
    const { amountRaw: amountOut } = target.output;
    const deadline = instantOf(this.nowMs + quoteTtlMs);
    return { depositAddress, amountIn: input.amountRaw, amountOut, minAmountOut: amountOut, deadline, timeEstimate: 2 };
  }

  async swap(depositAddress: string): Promise<object | null> {
    const offer = this.offers.get(depositAddress);
    if (offer === undefined) return null;
    const state = offer.orderKey === null ? null : await this.settled(offer.orderKey);
    if (state === null) return { status: 'PENDING_DEPOSIT', swapDetails: {} };
    switch (state.status) {
      case 'accepted':
        return state.hidden ? null : { status: 'PROCESSING', swapDetails: {} };
      case 'settled':
        return { status: 'SUCCESS', swapDetails: { amountOut: state.output?.amountRaw } };
      case 'refunded':
        return { status: 'REFUNDED', swapDetails: { amountOut: state.output?.amountRaw ?? '0' } };
      case 'rejected':
      case 'never_accepted':
        return { status: 'PENDING_DEPOSIT', swapDetails: {} };
    }
  }

  /** What the contract's balances say: what is on its way still counts. */
  async balances(address: string): Promise<ReadonlyMap<string, bigint>> {
    await this.ledger.orders.settleDue(address, { twice: false });
    return this.ledger.wallets.holdings(address);
  }

  private takesOwnKey(address: string): Promise<boolean> {
    return this.takesKey(address, `ed25519:${base58(Buffer.from(address, 'hex'))}`);
  }

  private wrongWith({ payload }: WireSigned, deadline: string): string | null {
    const nonce = nonceParts(payload.nonce);
    if (nonce === null || !this.salts.includes(nonce.salt)) return 'invalid salt';
    if (Date.parse(deadline) > nonce.expiresAtMs) return 'deadline is greater than nonce';
    return this.nowMs >= Date.parse(deadline) ? 'deadline has expired' : null;
  }

  private orderFor(key: string, bytes: string, message: Message, intent: Message['intents'][number]): NewOrder {
    const [[tokenId, amountRaw] = ['', '0']] = Object.entries(intent.tokens);
    const offer = this.offers.get(intent.receiver_id);
    const target =
      offer === undefined
        ? ({ kind: 'withdraw', mainAccountId: intent.receiver_id } as const)
        : ({ kind: 'swap', output: offer.output } as const);
    const deadline = instantOf(Date.parse(message.deadline));
    return { key, bytes, address: message.signer_id, input: { tokenId, amountRaw }, target, deadline };
  }

  private async handling(order: NewOrder): Promise<Handling> {
    const { faults, tokens } = await this.ledger.market.look();
    const refused = { reason: 'provider_rejected', text: 'invalid intent' } as const;
    const moved = faults.submit === 'quote_moved' || !quoteStands(order, tokens);
    // A withdrawal is one transfer: done or not done. What a moved quote no longer buys, 1Click gives back.
    const returned = faults.submit === 'refund' || moved;
    const ofSwap = returned ? 'refund' : faults.submit === 'partial_fill' ? 'partial' : 'deliver';
    return {
      refusal: faults.submit === 'reject' ? refused : null,
      outcome: order.target.kind === 'swap' ? ofSwap : 'deliver',
      hidden: faults.submit === 'not_found_first',
      settlesAt: instantOf(this.nowMs + faults.settleAfterSeconds * 1000),
    };
  }

  private isSwap(orderKey: string): boolean {
    return [...this.offers.values()].some((offer) => offer.orderKey === orderKey);
  }

  private async settled(key: string): Promise<OrderState | null> {
    const [address = ''] = key.split('/');
    await this.ledger.orders.settleDue(address, { twice: false });
    return this.ledger.orders.find(key);
  }
}

function messageOf({ payload }: WireSigned): Message {
  return JSON.parse(payload.message) as Message;
}

function orderKeyOf(address: string, nonce: string): string {
  return `${address}/${nonce}`;
}

function isTaken(state: OrderState): boolean {
  return state.status === 'accepted' || state.status === 'settled' || state.status === 'refunded';
}

function reasonOf(state: OrderState): string {
  if (state.status === 'never_accepted') return 'deadline has expired';
  if (state.status !== 'rejected') return 'internal';
  return state.failure.reason === 'insufficient_balance' ? 'insufficient balance or overflow' : state.failure.text;
}
