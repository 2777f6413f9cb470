import { asId, epochMsOf, instantOf, Unavailable, type OperationId } from '@app/kernel';
import { Probe } from '@app/runtime';
import {
  driveOperation,
  isPatient,
  nextLook,
  operationKind,
  type OperationEvent,
  type OperationState,
  type OperationTerms,
  type OperationPorts,
  type WalletAccount,
} from '@app/wallets';
import type { WireSigned } from '@app/testing/near';
import { randomUUID } from 'node:crypto';
import { seededRandom } from '@app/testing/journeys';
import { newMainAccount, usdc } from './harness';
import { MeddledProvider, Death } from './meddled-provider';
import type { NearUnderTest } from './near-provider';

/** The initial balance of every wallet under test. */
const whole = 250_000_000n;
const lifeMs = 15 * 60_000;
const calmAfterMs = 30 * 60_000;
const looksMax = 300;
const relayForgets = JSON.stringify({ result: { status: 'NOT_FOUND_OR_NOT_VALID', intent_hash: 'x' } });
const unknownReason = JSON.stringify({ result: { status: 'FAILED', reason: 'solvers are asleep', intent_hash: 'x' } });

/** Faults of the relay that may be set between two steps. */
const relayFaults = ['ok', 'ok', 'ok', 'reject', 'timeout_before_accept', 'timeout_after_accept'] as const;

/**
 * One withdrawal on the adapter and the strict double, from its use to its end: funds arrive late or leave early, third
 * parties submit the bytes, the account is locked, the relay lies and forgets, workers race and die. The same seed
 * makes the same choices.
 */
export class NearSchedule {
  readonly events: OperationEvent[] = [];
  readonly counts = { strangers: 0, deaths: 0, unresolved: 0 };
  private readonly operationId = asId<OperationId>(randomUUID());
  private readonly mainAccountId = newMainAccount();
  private readonly elsewhere = newMainAccount();
  private readonly wallet: WalletAccount;
  private readonly random: () => number;
  private readonly amount: bigint;
  private readonly beganMs: number;

  constructor(
    private readonly near: NearUnderTest,
    readonly seed: number,
  ) {
    this.random = seededRandom(seed);
    this.wallet = near.newWallet();
    this.amount = 1n + (whole * BigInt(Math.floor(this.random() * 1000))) / 1000n;
    this.beganMs = epochMsOf(near.now());
  }

  get state(): OperationState | null {
    return this.events.reduce(operationKind.decider.evolve, operationKind.decider.initialState);
  }

  /** Plays until the operation is over. Then third parties submit all bytes again to a funded wallet. */
  async play(): Promise<void> {
    await this.near.setFaults({ submit: 'ok', settleAfterSeconds: 0 });
    await this.near.provider.connect(this.wallet);
    this.append({ type: 'UseApproval', at: this.near.now(), terms: this.terms() });
    let waits = 0;
    for (let looks = 0; this.isUnderWay() && !this.isStuck(); looks += 1) {
      if (looks > looksMax) throw new Error('it does not end');
      if (this.isCalm()) await this.calmDown();
      const drives = this.random() < 0.3 ? 2 : 1;
      const next = await Promise.all(Array.from({ length: drives }, () => this.look(waits)));
      const [earliest = null] = next.filter((look) => look !== null).sort((a, b) => a.atMs - b.atMs);
      waits = earliest?.waits ?? 0;
      const waitMs = earliest === null ? 1_000 : Math.max(1, earliest.atMs - epochMsOf(this.near.now()));
      this.near.advance(Math.min(waitMs, 60_000) / 1000);
    }
    await this.calmDown();
    if (this.isUnderWay()) this.counts.unresolved += 1;
    for (let times = 0; times < 3; times += 1) {
      await this.strangersTry();
      this.near.advance(200);
    }
  }

  /** The errors at the end of the schedule. */
  async wrongs(): Promise<string[]> {
    await this.near.chain.balances(this.wallet.address); // the double settles an account's transfers when it is queried
    const received = await this.near.received(this.mainAccountId, usdc);
    const status = this.state?.status;
    if (received > this.amount) return [`paid ${received} instead of ${this.amount}`];
    if (status === 'settled' && received === 0n) return ['settled without having paid'];
    if (status === 'failed' && received > 0n) return ['given up, and executed later'];
    const unsent = status === 'settled' || status === 'failed' || status === 'unresolved';
    return unsent ? [] : [`ended ${status}`];
  }

  /**
   * Causes an event before or after a call of a worker.
   * @throws Death, Unavailable
   */
  async meddle(): Promise<void> {
    if (this.isCalm()) return;
    const chance = this.random();
    if (chance < 0.06) await this.near.fund(this.wallet, { tokenId: usdc, amountRaw: String(this.amount) });
    else if (chance < 0.14) await this.leave();
    else if (chance < 0.26) await this.strangersTry();
    else if (chance < 0.3) this.near.lock(this.wallet);
    else if (chance < 0.36) this.near.unlock(this.wallet);
    else if (chance < 0.5) this.near.advance(Math.floor(this.random() ** 2 * 400));
    else if (chance < 0.64) await this.near.setFaults({ submit: this.pick(relayFaults) });
    else if (chance < 0.7) this.relayLies();
    else if (chance < 0.72) this.near.rotateSalt();
    else if (chance < 0.75) throw new Unavailable('wallet provider', { reason: 'provider_unavailable' });
    else if (chance < 0.78) {
      this.counts.deaths += 1;
      throw new Death();
    }
  }

  private async look(waits: number) {
    try {
      const driven = await driveOperation(this.world(), isPatient(waits));
      return nextLook(driven, waits, epochMsOf(this.near.now()), false);
    } catch (error) {
      if (error instanceof Death) return null;
      throw error;
    }
  }

  private world(): OperationPorts {
    const provider = new MeddledProvider(this.near.provider, () => this.meddle());
    return {
      operationId: this.operationId,
      provider,
      probe: new Probe(),
      now: () => this.near.now(),
      fold: async () => this.state,
      record: async (command) => ({ appended: this.append(command), state: this.state }),
      wallet: async () => ({
        ...this.wallet,
        provider: 'near-intents',
        createdAt: this.near.now(),
        status: 'active',
        authStatus: 'ready',
        mainAccountId: this.mainAccountId,
      }),
      spendable: async () => ({ ok: true, value: await provider.holdings(this.wallet) }),
      hold: async () => 'held',
      sessionRejected: async () => undefined,
    };
  }

  private append(command: Parameters<typeof operationKind.decider.decide>[0]): boolean {
    const decision = operationKind.decider.decide(command, this.state);
    if (!decision.accepted) throw new Error(`refused: ${JSON.stringify(decision.refusal)}`);
    this.events.push(...decision.events);
    return decision.events.length > 0;
  }

  private terms(): OperationTerms {
    const { userId, walletId } = this.wallet;
    const quantity = { kind: 'exact_input_tokens', amountRaw: String(this.amount) } as const;
    const input = { pinned: { tokenId: usdc, decimals: 6 } };
    return {
      kind: 'agent_transfer',
      userId,
      walletId,
      approvalId: asId(randomUUID()),
      conversationId: null,
      runId: null,
      automationId: null,
      decidedBy: 'user',
      mainAccountId: this.mainAccountId,
      contract: { type: 'ledger_intents_transfer', actions: [{ kind: 'withdraw_to_owner', input, quantity }] },
      expiresAt: instantOf(this.beganMs + lifeMs),
    };
  }

  /** Third parties submit all bytes that were ever journaled to the contract. */
  private async strangersTry(): Promise<void> {
    const bytes = this.events.flatMap((event) => {
      if (event.type === 'submission.journaled') return [event.submission.bytes];
      return event.type === 'revocation.journaled' ? [event.revocation.bytes] : [];
    });
    for (const one of bytes.sort(() => this.random() - 0.5)) {
      const { params } = JSON.parse(one) as { params: [{ signed_data: WireSigned }] };
      if ((await this.near.chain.execute(params[0].signed_data, one)) === null) this.counts.strangers += 1;
    }
  }

  /** The owner moves everything away by another transfer. */
  private async leave(): Promise<void> {
    const held = (await this.near.chain.balances(this.wallet.address)).get(usdc) ?? 0n;
    if (held === 0n || !(await this.near.provider.hasSession(this.wallet))) return;
    const order = { kind: 'withdraw', input: { tokenId: usdc, amountRaw: String(held) } } as const;
    const planned = await this.near.provider.plan({
      wallet: this.wallet,
      key: `${randomUUID()}/0/1`,
      attempt: 1,
      order: { ...order, mainAccountId: this.elsewhere },
      latestDeadline: instantOf(epochMsOf(this.near.now()) + 60_000),
    });
    if (!planned.ok) return;
    const { params } = JSON.parse(planned.submission.bytes) as { params: [{ signed_data: WireSigned }] };
    await this.near.chain.execute(params[0].signed_data, planned.submission.bytes);
  }

  private relayLies(): void {
    const lie = this.pick([null, 'get_status', 'publish_intent'] as const);
    const answer = lie === 'get_status' ? relayForgets : unknownReason;
    this.near.loopback.instead = lie === null ? null : (asked) => (asked === lie ? answer : null);
  }

  private async calmDown(): Promise<void> {
    this.near.loopback.instead = null;
    this.near.unlock(this.wallet);
    await this.near.setFaults({ submit: 'ok' });
    await this.near.fund(this.wallet, { tokenId: usdc, amountRaw: String(this.amount) });
  }

  private pick<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.random() * items.length)];
    if (item === undefined) throw new Error('there is nothing to pick from');
    return item;
  }

  private isCalm(): boolean {
    return epochMsOf(this.near.now()) > this.beganMs + calmAfterMs;
  }

  private isUnderWay(): boolean {
    const status = this.state?.status;
    return status === 'submitted' || status === 'unresolved';
  }

  /** Whether it can no longer be determined which of submission and revocation was executed. */
  private isStuck(): boolean {
    return this.state?.status === 'unresolved' && this.isCalm();
  }
}
