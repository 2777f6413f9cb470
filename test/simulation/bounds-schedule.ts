import { automationKind, ContractAuthority, ContractUses, type AutomationCommand } from '@app/automations';
import type { ContractAction } from '@app/consent';
import type { FoldedStates, Streams } from '@app/event-store';
import {
  asId,
  causeOfService,
  instantOf,
  ok,
  Unavailable,
  type ApprovalId,
  type AutomationId,
  type OperationId,
  type RunId,
  type ToolCallId,
  type UserId,
} from '@app/kernel';
import { Probe } from '@app/runtime';
import type { Timers } from '@app/timers';
import {
  agentOperationId,
  AuthorityUses,
  driveOperation,
  operationKind,
  type OperationState,
  type OperationTerms,
  type OperationPorts,
  type WalletProvider,
  type Wallets,
} from '@app/wallets';
import { v5 as uuidV5 } from 'uuid';
import { isCountOf, BoundsOracle, type Approved } from './bounds-oracle';
import { BoundsProvider } from './bounds-provider';
import { randomActions, randomBounds, ruleOf } from './bounds-rules';
import { MemoryStreams } from './bounds-streams';
import { BoundsWorld, tokens } from './bounds-world';
import { Stepwise, type Pause } from './stepwise';

const automationId = asId<AutomationId>('0b7a3b7e-0000-7000-8000-0000000000aa');
const userId = asId<UserId>('0b7a3b7e-0000-5000-8000-000000000001');
const namespace = '0b7a3b7e-0000-5000-8000-0000000000ff';
const cause = causeOfService('test', automationId);
const lifeMs = 15 * 60_000;
/** After this many steps the interference stops, so that every operation can end. */
const calmAfterSteps = 400;
const stepsMax = 20_000;
const workersMax = 4;

interface Held {
  readonly approvalId: ApprovalId;
  readonly operationId: OperationId;
}

/** One call of a run, which may be repeated after a crash. */
interface Call extends Held {
  occurrence: number;
  readonly toolCallId: ToolCallId;
  /** The ids for the user's own approval, used if the contract does not cover the call. */
  readonly own: Held;
  done: boolean;
}

/**
 * An automation's authority, the calls of its occurrences, and everything that may happen between any two of their
 * steps: deposits, price moves, settlements, refunds, crashes, pauses, changes of the rule. The same seed plays the
 * same schedule.
 */
export class BoundsSchedule {
  readonly world: BoundsWorld;
  readonly oracle: BoundsOracle;
  readonly counts = {
    calls: 0,
    covered: 0,
    asked: 0,
    crashes: 0,
    pauses: 0,
    updates: 0,
    archived: 0,
    returnedEarly: 0,
  };
  readonly streams = new MemoryStreams();
  readonly actions: readonly ContractAction[];
  private readonly calls: Call[] = [];
  private workers: { readonly of: string; readonly steps: Stepwise }[] = [];
  private approved: Approved | null = null;
  private step = 0;
  private version = 0;

  constructor(readonly seed: number) {
    this.oracle = new BoundsOracle(() => this.world);
    this.world = new BoundsWorld(seed, (effect) => this.oracle.taken(effect));
    this.actions = randomActions(this.world);
    this.define();
    const count = 1 + this.world.upTo(5);
    for (let number = 0; number < count; number += 1) {
      const toolCallId = asId<ToolCallId>(`run/1/${number}`);
      const [covered, own] = [idsOf(`approval ${number}`), idsOf(`own ${number}`)];
      this.calls.push({ ...covered, own, occurrence: this.world.upTo(3), toolCallId, done: false });
    }
    for (let number = 0; number < 3; number += 1) this.occur(number);
  }

  async play(): Promise<void> {
    while (this.isUnderWay()) {
      this.step += 1;
      if (this.step > stepsMax) throw new Error('the operations do not end');
      await this.playStep();
    }
    await this.finish();
  }

  /** The uses whose final count differs from the amount that was moved. */
  miscounted(): string[] {
    const uses = Object.values(this.streams.state(automationKind, automationId)?.uses ?? {});
    return uses.flatMap(({ approvalId, usd }) => {
      const moved = this.oracle.movedBy(agentOperationId(approvalId));
      return isCountOf(usd, moved) ? [] : [`${approvalId} counts ${usd}`];
    });
  }

  private isUnderWay(): boolean {
    return this.calls.some(({ done }) => !done) || this.openOperations().length > 0;
  }

  private openOperations(): readonly Held[] {
    const all = this.calls.flatMap((call) => [call, call.own]);
    return all.filter(({ operationId }) => {
      const status = this.operation(operationId)?.status;
      return status === 'submitted' || status === 'unresolved';
    });
  }

  private operation(operationId: OperationId): OperationState | null {
    return this.streams.state(operationKind, operationId);
  }

  private get calm(): boolean {
    return this.step > calmAfterSteps;
  }

  private async playStep(): Promise<void> {
    this.begin();
    this.meddle();
    const worker = this.workers[this.world.upTo(this.workers.length)];
    if (worker !== undefined) await worker.steps.step();
    this.workers = this.workers.filter(({ steps }) => !steps.done);
    this.world.nowMs += this.world.random() < 0.05 ? this.world.upTo(30_000) : this.world.upTo(200);
    this.world.settle();
  }

  /** Adds workers for calls and operations that have none, and now and then a second one. */
  private begin(): void {
    if (this.workers.length >= workersMax) return;
    const call = this.world.pick(this.calls);
    const isHeld = this.workers.some(({ of }) => of === call.toolCallId);
    if (!call.done && (!isHeld || this.world.random() < 0.02))
      return this.work(call.toolCallId, (pause) => this.make(call, pause));
    const open = this.openOperations().filter(({ approvalId }) => this.workers.every(({ of }) => of !== approvalId));
    const [undriven] = open;
    if (undriven !== undefined && this.world.random() < 0.3)
      this.work(undriven.approvalId, (pause) => this.drive(undriven, pause));
    else if (this.world.random() < 0.05)
      for (const held of this.openOperations()) this.work(held.approvalId, (pause) => this.drive(held, pause));
  }

  private work(of: string, body: (pause: Pause) => Promise<void>): void {
    const patiently = async (pause: Pause): Promise<void> => {
      try {
        await body(pause);
      } catch (error) {
        // A worker that meets an unavailable store or provider is started again later.
        if (!(error instanceof Unavailable)) throw error;
      }
    };
    this.workers.push({ of, steps: new Stepwise(patiently) });
  }

  /**
   * Asks the authority, as a run does, and uses the approval. The user approves some of the calls that are not covered.
   */
  private async make(call: Call, pause: Pause): Promise<void> {
    const { approvalId, toolCallId, occurrence } = call;
    this.counts.calls += 1;
    const contract = { type: 'ledger_intents_transfer', actions: this.actions } as const;
    const expiresAt = instantOf(this.world.nowMs + lifeMs);
    const { authority } = this.partsFor(pause);
    const asked = { automationId, userId, toolCallId, runId: runOf(occurrence), approvalId, expiresAt, contract };
    const covered = await authority.cover(asked, cause);
    this.counts[covered ? 'covered' : 'asked'] += 1;
    await pause();
    if (!covered && this.world.random() < 0.5) return void (call.done = true);
    // The user's own approval has ids of its own.
    const held = covered ? call : call.own;
    const terms: OperationTerms = {
      kind: 'agent_transfer',
      userId,
      walletId: asId('wallet'),
      approvalId: held.approvalId,
      conversationId: null,
      runId: runOf(occurrence),
      automationId,
      contract,
      decidedBy: covered ? 'automation_contract' : 'user',
      mainAccountId: 'ada.near',
      expiresAt,
    };
    const { operationId } = held;
    if (!this.oracle.operations.has(operationId)) {
      const of = covered ? this.authorityOf(approvalId) : null;
      this.oracle.operations.set(operationId, { authority: of, occurrence, actions: this.actions });
    }
    this.streams.append(operationKind, operationId, { type: 'UseApproval', at: this.world.now(), terms });
    call.done = true;
    await this.drive(held, pause);
  }

  /** The authority under which the last use of that approval was recorded. */
  private authorityOf(approvalId: ApprovalId): Approved | null {
    const events = this.streams.events(automationKind, automationId);
    const used = events.findLastIndex((event) => event.type === 'contract.used' && event.approvalId === approvalId);
    const decided = events.slice(0, used).findLast((event) => event.type === 'approval.decided');
    return decided?.type === 'approval.decided' ? (this.approvals.get(decided.approvalId) ?? null) : null;
  }
  private readonly approvals = new Map<string, Approved>();

  private async drive({ operationId }: Held, pause: Pause): Promise<void> {
    for (let again = 0; again < 200; again += 1) {
      const driven = await driveOperation(this.operationWorld(operationId, pause), this.world.random() < 0.5);
      if (driven.do !== 'wait') return;
      for (let rests = this.world.upTo(6); rests >= 0; rests -= 1) await pause();
    }
  }

  private operationWorld(operationId: OperationId, pause: Pause): OperationPorts {
    const provider = new BoundsProvider(this.world, pause);
    const { ledger } = this.partsFor(pause);
    return {
      operationId,
      provider,
      probe: new Probe(),
      now: () => this.world.now(),
      fold: async () => {
        await pause();
        return this.streams.state(operationKind, operationId);
      },
      record: async (command) => {
        await pause();
        const appended = this.streams.append(operationKind, operationId, command);
        const state = this.streams.state(operationKind, operationId);
        await pause();
        return { appended, state };
      },
      wallet: async () => ({
        userId,
        walletId: asId('wallet'),
        address: 'ab'.repeat(32),
        provider: 'sandbox',
        createdAt: this.world.now(),
        status: 'active',
        authStatus: 'ready',
        mainAccountId: 'ada.near',
      }),
      spendable: async () => {
        await pause();
        provider.seen = this.world.market();
        const value = this.world.holdings();
        await pause();
        return ok(value);
      },
      hold: ({ terms }, usd) => ledger.hold({ automationId, approvalId: terms.approvalId, usd }, cause),
      sessionRejected: async () => undefined,
    };
  }

  /** The product's own authority and ledger, on streams in memory that others may append to between any two steps. */
  private partsFor(pause: Pause): { readonly authority: ContractAuthority; readonly ledger: ContractUses } {
    // Reason for the assertions: these are the members of the product's parts that both use.
    const streams = this.streams.paused(pause) as unknown as Streams & FoldedStates;
    const clock = { now: () => this.world.now(), epochMs: () => this.world.nowMs };
    const ledger = new ContractUses(streams, streams, clock, new AuthorityUses());
    const spendable = async () => (await pause(), ok(this.world.holdings()));
    const provider = { findToken: async (id: string) => this.world.token(id) };
    const timers = { schedule: async () => undefined };
    const parts = [timers as unknown as Timers, { spendable } as unknown as Wallets] as const;
    const authority = new ContractAuthority(
      streams,
      streams,
      ...parts,
      provider as unknown as WalletProvider,
      clock,
      ledger,
    );
    return { authority, ledger };
  }

  /** Lets others act, or a process die, by chance. */
  private meddle(): void {
    const { world } = this;
    if (this.calm) return this.resume();
    if (world.random() < 0.06) world.deposit(world.pick(tokens));
    if (world.random() < 0.06) world.movePrice(world.pick(tokens));
    const chance = world.random();
    if (chance < 0.02) this.crash();
    else if (chance < 0.03) this.toggle();
    else if (chance < 0.033) this.define();
    else if (chance < 0.0335) this.archive();
    else if (chance < 0.06) this.work('', (pause) => this.settle(pause));
    else if (chance < 0.063) this.work('', (pause) => this.returnUnused(pause));
  }

  private crash(): void {
    this.counts.crashes += 1;
    this.workers = this.world.random() < 0.5 ? [] : this.workers.slice(1);
  }

  private toggle(): void {
    const state = this.streams.state(automationKind, automationId);
    if (state?.state === 'paused') return this.resume();
    this.counts.pauses += 1;
    this.command({ type: 'PauseAutomation', at: this.world.now(), userId, revision: this.revision() });
  }

  private resume(): void {
    if (this.streams.state(automationKind, automationId)?.state !== 'paused') return;
    const by = { at: this.world.now(), userId, revision: this.revision() };
    this.command({ type: 'ResumeAutomation', ...by, epoch: `epoch ${(this.version += 1)}` });
  }

  private archive(): void {
    this.counts.archived += 1;
    if (this.approved !== null) this.approved.endedAtMs ??= this.world.nowMs;
    this.command({ type: 'ArchiveAutomation', at: this.world.now(), userId });
  }

  /** Creates or changes the rule; its user approves the contract. */
  private define(): void {
    if (this.streams.state(automationKind, automationId)?.state === 'archived') return;
    const bounds = randomBounds(this.world, this.actions);
    this.version += 1;
    const { definition, review } = ruleOf({
      automationId,
      version: this.version,
      bounds,
      actions: this.actions,
      at: this.world.now(),
    });
    const by = { at: this.world.now(), userId, definition, symbols: {}, epoch: `epoch ${this.version}`, review };
    if (this.approved === null) this.command({ type: 'CreateAutomation', ...by });
    else {
      this.counts.updates += 1;
      this.approved.endedAtMs ??= this.world.nowMs;
      this.command({ type: 'UpdateAutomation', ...by, revision: this.revision() });
    }
    const { approvalId } = review;
    const verdict = { status: 'approved' } as const;
    this.command({ type: 'DecideApproval', at: this.world.now(), approvalId, verdict, decidedBy: 'user' });
    this.approved = { bounds, actions: this.actions, endedAtMs: null };
    this.approvals.set(approvalId, this.approved);
    // Runs of the previous rule have no part in this one.
    if (this.version > 1) for (let number = 0; number < 3; number += 1) this.occur(number + 10 * this.version);
  }

  private occur(number: number): void {
    const ids = {
      occurrenceId: asId<never>(`occurrence ${number}`),
      conversationId: asId<never>('c'),
      runId: runOf(number),
    };
    const at = this.world.now();
    const { occurrenceId } = ids;
    const arose = { type: 'occurrence.arose', at, occurrenceId, epoch: 'e', trigger: 'invoke', forAt: at } as const;
    this.streams.given(automationKind, automationId, [
      { ...arose, dueAt: null, inputId: null, inputPosition: null },
      { type: 'occurrence.admitting', at, ...ids, attempt: 1, retryUntil: at },
      { type: 'occurrence.accepted', at, ...ids },
    ]);
    for (const call of this.calls) if (number >= 10) call.occurrence = number - (number % 10) + (call.occurrence % 10);
  }

  private revision(): string {
    const state = this.streams.state(automationKind, automationId);
    return state === null ? '' : `${state.definitionVersion}.${state.epoch}`;
  }

  private command(command: AutomationCommand): void {
    this.streams.append(automationKind, automationId, command);
  }

  /** Settles ended uses as the reactor does, at any time. */
  private async settle(pause: Pause): Promise<void> {
    await this.partsFor(pause).ledger.settleEnded(automationId, cause);
  }

  /** Returns an unused use as its timer does, even before its slow run has used it. */
  private async returnUnused(pause: Pause): Promise<void> {
    const { approvalId, operationId } = this.world.pick(this.calls);
    if (this.operation(operationId) !== null) return;
    this.counts.returnedEarly += 1;
    await this.partsFor(pause).ledger.giveBack(automationId, approvalId, cause);
  }

  private async finish(): Promise<void> {
    this.world.nowMs += 3_600_000;
    this.world.settle();
    const last = new Stepwise(async (pause) => {
      await this.settle(pause);
      for (const { approvalId, operationId } of this.calls)
        if (this.operation(operationId) === null)
          await this.partsFor(pause).ledger.giveBack(automationId, approvalId, cause);
    });
    while (!last.done) await last.step();
  }
}

function runOf(number: number): RunId {
  return asId<RunId>(`run of ${number}`);
}

function idsOf(name: string): Held {
  const approvalId = asId<ApprovalId>(uuidV5(name, namespace));
  return { approvalId, operationId: agentOperationId(approvalId) };
}
