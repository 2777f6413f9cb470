import { instantOf, type Instant, type UserId } from '@app/kernel';
import { quoteStands, type Handling, type NewOrder, type OrderState, type SubmitFault } from '@app/sandbox';
import AsyncLock from 'async-lock';
import { createHash, randomBytes } from 'node:crypto';
import { orderByNow, type Books } from './near-books';
import {
  base58,
  messageOf,
  nonceParts,
  payloadDigest,
  signerOf,
  type WireMessage,
  type WireSigned,
} from './near-signatures';
import { OneClickBook } from './near-one-click';

/** The relay's answer to an intent; the reasons are in the contract's words. */
export type PublishAnswer =
  | { readonly status: 'OK'; readonly intent_hash: string }
  | { readonly status: 'FAILED'; readonly reason: string; readonly intent_hash: string };

/**
 * The verifier contract and the relay's queue, on the sandbox's ledger and with its faults.
 *
 * Source: near/intents, contracts/defuse (core/src/error.rs for its words; a deadline is valid until it is before the
 * block's time); docs.near-intents.org, "Verifier" (salts, nonces) and "WireMessage Bus" (statuses).
 */
export class NearChain {
  /** The salts that the contract accepts; the last one is the current one. */
  readonly salts = [randomBytes(4).toString('hex')];
  /** Accounts that are locked: no intent of theirs is executed. */
  readonly locked = new Set<string>();
  /** Named accounts that exist on NEAR. */
  readonly accounts = new Set(['ada.near']);
  /** Nonces that an empty intent has used. */
  private readonly revoked = new Set<string>();
  /** A chain executes intents one after the other. */
  private readonly order = new AsyncLock();
  /** Key of the order for each intent that the relay accepted, by the intent's hash. */
  private readonly orderKeys = new Map<string, string>();

  readonly swaps: OneClickBook;

  constructor(
    readonly ledger: Books,
    private readonly userOf: (address: string) => UserId,
  ) {
    this.swaps = new OneClickBook(ledger);
  }

  get nowMs(): number {
    return this.ledger.clock.nowMs;
  }

  async fault(): Promise<SubmitFault> {
    return (await this.ledger.faults.current()).submit;
  }

  /**
   * Whether the contract accepts the account's own key: it does by default, until the owner removes it (the fault
   * `sessionRejected`).
   */
  async takesKey(address: string, publicKey: string): Promise<boolean> {
    if (!/^[0-9a-f]{64}$/.test(address) || publicKey !== keyOf(address)) return false;
    if ((await this.ledger.wallets.session(address)) === 'none') await this.addKey(address);
    return (await this.ledger.wallets.session(address)) === 'good';
  }

  /** Adds the account's own key again, as its owner would. */
  async addKey(address: string): Promise<void> {
    await this.ledger.wallets.open(address, this.userOf(address));
  }

  /** Submits an intent to the chain, as the relay does; it keeps nothing of an intent that it refuses. */
  async publish(signed: WireSigned, bytes: string): Promise<PublishAnswer> {
    const intentHash = base58(payloadDigest(signed));
    const failed = (reason: string): PublishAnswer => ({ status: 'FAILED', reason, intent_hash: intentHash });
    const before = this.orderKeys.get(intentHash);
    if (before !== undefined) return failed('already processed');
    if ((await this.fault()) === 'reject') return failed('invalid intent');
    const refused = await this.execute(signed, bytes);
    if (refused !== null) return failed(refused);
    this.orderKeys.set(intentHash, orderKeyOf(messageOf(signed).signer_id, signed.payload.nonce));
    return { status: 'OK', intent_hash: intentHash };
  }

  /**
   * Executes an intent as the contract does, whoever submits it. Returns null if it was executed, else the reason why
   * not.
   */
  async execute(signed: WireSigned, bytes: string): Promise<string | null> {
    return this.order.acquire('chain', () => this.executed(signed, bytes));
  }

  private async executed(signed: WireSigned, bytes: string): Promise<string | null> {
    const message = messageOf(signed);
    const { signer_id: address, deadline, intents } = message;
    const wrong = await this.wrongWith(signed, address, deadline);
    if (wrong !== null) return wrong;
    const key = orderKeyOf(address, signed.payload.nonce);
    if (this.locked.has(address)) return `account '${address}' is locked`;
    if (this.revoked.has(key) || isTakenOrNull(await this.ledger.orders.find(key))) return 'nonce was already used';
    const [intent] = intents;
    if (intent === undefined) {
      this.revoked.add(key);
      return null;
    }
    if (intent.intent !== 'transfer' || intent.receiver_id === address) return 'invalid intent';
    const order = this.orderFor(key, bytes, message, intent);
    const { tokenId, amountRaw } = order.input;
    if (BigInt(amountRaw) === 0n) return 'invalid intent';
    const held = (await this.ledger.wallets.spendable(address)).get(tokenId) ?? 0n;
    if (BigInt(amountRaw) > held) return 'insufficient balance or overflow';
    const state = await this.ledger.orders.submit(order, await this.handling(order));
    if (!isTaken(state)) return reasonOf(state);
    this.swaps.notePaid(intent.receiver_id, key);
    return null;
  }

  async relayStatus(intentHash: string): Promise<object> {
    const key = this.orderKeys.get(intentHash);
    const state = key === undefined ? null : await orderByNow(this.ledger, key);
    const transaction = { hash: base58(createHash('sha256').update(intentHash).digest()) };
    // The relay received exactly this intent, and no other intent uses its nonce.
    if (key !== undefined && this.revoked.has(key))
      return { intent_hash: intentHash, status: 'SETTLED', data: transaction };
    if (key === undefined || state === null || !isTaken(state))
      return { intent_hash: intentHash, status: 'NOT_FOUND_OR_NOT_VALID' };
    if (state.status === 'accepted' && !this.swaps.isSwap(key)) return { intent_hash: intentHash, status: 'PENDING' };
    return { intent_hash: intentHash, status: 'SETTLED', data: transaction };
  }

  /** A swap's transfer counts as done once the relay has it; a withdrawal is done when the ledger settles it. */
  async isNonceUsed(address: string, nonce: string): Promise<boolean> {
    const key = orderKeyOf(address, nonce);
    // Intents that are being executed belong to the block that is queried.
    const state = await this.order.acquire('chain', () => orderByNow(this.ledger, key));
    if (this.revoked.has(key)) return true;
    return state !== null && isTaken(state) && (state.status !== 'accepted' || this.swaps.isSwap(key));
  }

  /** Returns the contract's balances; amounts in flight still count. */
  async balances(address: string): Promise<ReadonlyMap<string, bigint>> {
    await this.ledger.orders.settleDue(address, { twice: false });
    return this.ledger.wallets.holdings(address);
  }

  /** Checks in the contract's order. The contract also accepts nonces of the old kind, which our code never sends. */
  private async wrongWith(signed: WireSigned, address: string, deadline: string): Promise<string | null> {
    const { payload } = signed;
    const signer = signerOf(signed);
    const nonce = nonceParts(payload.nonce);
    if (signer === null) return 'invalid signature';
    if (payload.recipient !== 'intents.near') return 'wrong verifying_contract';
    if (Date.parse(deadline) < this.nowMs) return 'deadline has expired';
    if (signer !== address || !(await this.takesKey(address, keyOf(address))))
      return `public key '${keyOf(signer)}' doesn't exist for account '${address}'`;
    if (nonce === null || !this.salts.includes(nonce.salt)) return 'invalid salt';
    if (Date.parse(deadline) > nonce.expiresAtMs) return 'deadline is greater than nonce';
    return nonce.expiresAtMs < this.nowMs ? 'nonce was already expired' : null;
  }

  private orderFor(key: string, bytes: string, message: WireMessage, intent: WireMessage['intents'][number]): NewOrder {
    const [[tokenId, amountRaw] = ['', '0']] = Object.entries(intent.tokens);
    const output = this.swaps.outputFor(intent.receiver_id);
    const target =
      output === null
        ? ({ kind: 'withdraw', mainAccountId: intent.receiver_id } as const)
        : ({ kind: 'swap', output } as const);
    // The contract still executes at the deadline itself; the ledger does not.
    const deadline = instantOf(Date.parse(message.deadline) + 1);
    return { key, bytes, address: message.signer_id, input: { tokenId, amountRaw }, target, deadline };
  }

  private async handling(order: NewOrder): Promise<Handling> {
    const { faults, tokens } = await this.ledger.market.look();
    const moved = faults.submit === 'quote_moved' || !quoteStands(order, tokens);
    // A withdrawal is one transfer: done or not done. If the quote moved, 1Click returns the input.
    const returned = faults.submit === 'refund' || moved;
    const ofSwap = returned ? 'refund' : faults.submit === 'partial_fill' ? 'partial' : 'deliver';
    return {
      refusal: null,
      outcome: order.target.kind === 'swap' ? ofSwap : 'deliver',
      hidden: faults.submit === 'not_found_first',
      // Nothing is executed after its deadline.
      settlesAt: earlier(instantOf(this.nowMs + faults.settleAfterSeconds * 1000), order.deadline),
    };
  }
}

function orderKeyOf(address: string, nonce: string): string {
  return `${address}/${nonce}`;
}

function earlier(one: Instant, other: Instant): Instant {
  return one < other ? one : other;
}

function keyOf(address: string): string {
  return `ed25519:${base58(Buffer.from(address, 'hex'))}`;
}

function isTakenOrNull(state: OrderState | null): boolean {
  return state !== null && isTaken(state);
}

function isTaken(state: OrderState): boolean {
  return state.status === 'accepted' || state.status === 'settled' || state.status === 'refunded';
}

function reasonOf(state: OrderState): string {
  if (state.status === 'never_accepted') return 'deadline has expired';
  if (state.status !== 'rejected') return 'internal';
  return state.failure.reason === 'insufficient_balance' ? 'insufficient balance or overflow' : state.failure.text;
}
