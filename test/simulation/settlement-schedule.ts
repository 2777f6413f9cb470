import type { Contract } from '@app/consent';
import { asId, instantOf, type Instant, type OperationId } from '@app/kernel';
import { Probe } from '@app/runtime';
import {
  driveOperation,
  isPatient,
  nextLook,
  operationKind,
  type OperationEvent,
  type OperationState,
  type OperationPorts,
  type WalletAccount,
} from '@app/wallets';
import { seededRandom } from '@app/testing/journeys';
import { often, peace, randomHostility, type Hostility } from './hostility';
import { randomContract, termsOf } from './random-contract';
import { PausingProvider } from './pausing-provider';
import { SimulatedProvider } from './settlement-provider';
import { Stepwise, type Pause } from './stepwise';

const startMs = Date.parse('2026-03-01T10:00:00Z');
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** After this time failures stop, so that every operation can end. */
const calmAfterMs = 2 * hourMs;
/** The time within which the operation may be sent. */
const lifeMs = 15 * minuteMs;
const workersMax = 3;
/** The timer of a worker that died is free after this time. */
const claimLostAfterMs = 6_000;
const sweepEveryMs = 30_000;
/** An operation whose first worker has not finished it is taken by another worker after this time. */
const netAfterMs = 3_000;
const stepsMax = 50_000;

const operationId = asId<OperationId>('0b7a3b7e-0000-5000-8000-00000000000a');
const wallet: WalletAccount = { userId: asId('user'), walletId: asId('wallet'), address: 'ab'.repeat(32) };

interface TimerRow {
  readonly dueMs: number;
  readonly waits: number;
  /** Until then a worker holds it. */
  readonly freeAtMs: number;
}

/** One operation, from its use to its end, in a hostile world. The same seed plays the same schedule. */
export class SettlementSchedule {
  nowMs = startMs;
  readonly events: OperationEvent[] = [];
  readonly counts = { crashes: 0, lostRaces: 0 };
  readonly provider: SimulatedProvider;
  readonly contract: Contract;
  private readonly random: () => number;
  private readonly hostility: Hostility;
  private readonly crashes: number;
  private readonly disabledUntilMs: number;
  private readonly rejections: number[] = [];
  private timer: TimerRow | null = null;
  private workers: Stepwise[] = [];
  private sweepAtMs = startMs + sweepEveryMs;

  constructor(readonly seed: number) {
    const random = (this.random = seededRandom(seed));
    this.hostility = randomHostility(random);
    this.crashes = random() < 0.7 ? often(random) * 0.3 : 0;
    this.disabledUntilMs = random() < 0.05 ? startMs + this.upTo(20 * minuteMs) : 0;
    while (random() < 0.3) this.rejections.push(startMs + this.upTo(20 * minuteMs));
    const balances = new Map(
      ['nep141:a', 'nep141:b', 'nep141:c'].map((token) => [token, BigInt(this.upTo(4_000_000))]),
    );
    this.provider = new SimulatedProvider(this, () => (this.calm ? peace : this.hostility), random, balances);
    this.contract = randomContract(random);
  }

  get state(): OperationState | null {
    return this.events.reduce(operationKind.decider.evolve, operationKind.decider.initialState);
  }

  /** Everything that was recorded and everything that took effect: a replay must repeat it exactly. */
  get trace(): string {
    return JSON.stringify([
      this.events,
      [...this.provider.taken.values()],
      this.provider.counts,
      this.counts,
      this.nowMs,
    ]);
  }

  /** Plays the schedule until the operation has ended and nothing is in flight. */
  async play(): Promise<void> {
    this.workers.push(new Stepwise((pause) => this.use(pause)));
    for (let steps = 0; this.workers.length > 0 || this.timer !== null || this.isUnderWay(); steps += 1) {
      if (steps > stepsMax) throw new Error('the operation does not end');
      await this.step();
    }
    this.nowMs += hourMs;
    this.provider.arrive();
  }

  private async step(): Promise<void> {
    const worker = this.workers[this.upTo(this.workers.length)];
    if (worker === undefined || this.random() < 0.1) this.passTime();
    else if (!this.calm && this.random() < this.crashes) this.crash();
    else await this.stepped(worker);
    this.happen();
  }

  private async stepped(worker: Stepwise): Promise<void> {
    await worker.step();
    if (worker.done) this.workers = this.workers.filter((other) => other !== worker);
    // Most steps take next to no time; now and then one takes long.
    const chance = this.random();
    if (chance > 0.99) this.nowMs += this.upTo(40_000);
    else if (chance > 0.6) this.nowMs += this.upTo(300);
  }

  /** Kills one worker or all of them. Their claimed timer is free again later. */
  private crash(): void {
    this.counts.crashes += 1;
    this.workers = this.random() < 0.5 ? [] : this.workers.slice(1);
    if (this.timer !== null) this.timer = { ...this.timer, freeAtMs: this.nowMs + claimLostAfterMs };
  }

  /** Advances to the next instant at which something happens, or a part of the way. */
  private passTime(): void {
    const due =
      this.timer === null ? Infinity : Math.max(this.timer.dueMs, Math.min(this.timer.freeAtMs, this.sweepAtMs));
    const nextMs = Math.min(due, this.provider.nextArrivalMs(), this.sweepAtMs, ...this.rejections);
    const wholeMs = Math.max(1, nextMs - this.nowMs);
    this.nowMs += this.random() < 0.7 ? wholeMs : 1 + this.upTo(wholeMs);
  }

  private happen(): void {
    this.provider.arrive();
    this.connectOrReject();
    const callback = !this.calm && this.random() < 0.01;
    const sweeps = this.nowMs >= this.sweepAtMs;
    if (sweeps) this.sweepAtMs = this.nowMs + sweepEveryMs;
    // A callback of the provider, possibly without cause, or the watchdog, if an operation in flight has no timer.
    if (callback || (sweeps && this.timer === null && this.isUnderWay())) this.schedule(this.nowMs, 0);
    const { timer } = this;
    if (timer === null || timer.dueMs > this.nowMs || timer.freeAtMs > this.nowMs) return;
    if (this.workers.length >= workersMax) return;
    const claimed = (this.timer = { ...timer, freeAtMs: Infinity });
    this.workers.push(new Stepwise((pause) => this.handle(claimed, pause)));
  }

  private connectOrReject(): void {
    const rejected = this.rejections.findIndex((atMs) => atMs <= this.nowMs);
    if (rejected !== -1) {
      this.rejections.splice(rejected, 1);
      this.provider.sessionGood = false;
    }
    // Its owner connects again some time later.
    if (this.calm || this.random() < 0.01) this.provider.sessionGood = true;
  }

  /** Begins the operation as `OperationStart.begin` does, and drives it at once. */
  private async use(pause: Pause): Promise<void> {
    this.timer = { dueMs: this.nowMs, waits: 0, freeAtMs: this.nowMs + netAfterMs };
    await pause();
    const terms = termsOf(wallet, this.contract, instantOf(startMs + lifeMs));
    this.append(operationKind.decider.decide({ type: 'UseApproval', at: this.now(), terms }, this.state));
    const begun = this.state;
    await pause();
    await this.drive(0, null, pause, begun);
  }

  /** Handles the timer as `OperationDriver` does. */
  private async handle(claimed: TimerRow, pause: Pause): Promise<void> {
    await this.drive(claimed.waits, claimed, pause, null);
  }

  private async drive(waits: number, claimed: TimerRow | null, pause: Pause, begun: OperationState | null) {
    const driven = await driveOperation(this.worldFor(pause, begun), isPatient(waits), begun);
    await pause();
    const next = nextLook(driven, waits, this.nowMs, false);
    if (next !== null) this.schedule(next.atMs, next.waits);
    else if (claimed === null || this.timer === claimed) this.timer = null;
  }

  private schedule(dueMs: number, waits: number): void {
    this.timer = { dueMs, waits, freeAtMs: 0 };
  }

  private worldFor(pause: Pause, begun: OperationState | null): OperationPorts {
    /** Keys that this worker may send: it journaled them itself, or the provider's last answer was `never_accepted`. */
    const sendable = new Set<string>();
    let folded = begun;
    const record: OperationPorts['record'] = async (command) => {
      await pause();
      const appended = this.append(operationKind.decider.decide(command, this.state));
      if (command.type === 'JournalSubmission' && appended) sendable.add(command.submission.key);
      if (!appended) this.counts.lostRaces += 1;
      const state = (folded = this.state);
      await pause();
      return { appended, state };
    };
    return {
      operationId,
      provider: new PausingProvider(this, pause, sendable, () => folded),
      probe: new Probe(),
      record,
      now: () => this.now(),
      fold: async () => {
        await pause();
        return (folded = this.state);
      },
      wallet: async () => ({
        ...wallet,
        provider: 'sandbox',
        createdAt: this.now(),
        authStatus: 'ready',
        mainAccountId: 'ada.near',
        status: this.nowMs < this.disabledUntilMs ? 'disabled' : 'active',
      }),
      spendable: async () => {
        await pause();
        return { ok: true, value: this.provider.holdings() };
      },
      hold: async () => 'held',
      sessionRejected: () => pause(),
    };
  }

  private append(decision: ReturnType<typeof operationKind.decider.decide>): boolean {
    if (!decision.accepted) throw new Error(`refused: ${JSON.stringify(decision.refusal)}`);
    this.events.push(...decision.events);
    return decision.events.length > 0;
  }

  private isUnderWay(): boolean {
    const status = this.state?.status;
    return status === 'submitted' || status === 'unresolved';
  }

  private get calm(): boolean {
    return this.nowMs > startMs + calmAfterMs;
  }

  private now(): Instant {
    return instantOf(this.nowMs);
  }

  private upTo(count: number): number {
    return Math.floor(this.random() * count);
  }
}
